/** What the stories of the store are told with: files of their own, owners, and a session written by hand. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { advance } from "../../src/core/advance.ts";
import type { Advanced } from "../../src/core/advance.ts";
import { emptySession, fold } from "../../src/core/fold.ts";
import type { Effect } from "../../src/core/effect.ts";
import type { Draft } from "../../src/core/entry.ts";
import type { CallId, InputId, MessageId, SessionId, TurnId } from "../../src/core/ids.ts";
import type { Input } from "../../src/core/input.ts";
import { canonicalJson } from "../../src/core/json.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { projectionOf } from "../../src/core/projection.ts";
import type { Session } from "../../src/core/session.ts";
import type { Committed, Lease, LeaseOwner, Store } from "../../src/core/store.ts";
import { sha256 } from "../../src/store/hash.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import type { SqliteOptions } from "../../src/store/sqlite/index.ts";

export const AT = Date.UTC(2026, 0, 1);
export const SESSION = "s" as SessionId;

/** A folder that is gone when the test has ended. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const newPath = (): string => join(newFolder(), "sessions.db");

/** A store on a file; another one on the same file is another process, but for the memory they share. */
export async function openStore(path: string, options: Partial<SqliteOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ path, durability: "normal", now: () => AT, isGone: () => false, ...options });
  onTestFinished(() => store.close());
  return store;
}

export const owner = (id: string): LeaseOwner => ({ id, host: "here", pidNamespace: "1", pid: 1, processStart: "1" });

export async function acquired(store: Store, who = "one", now = AT): Promise<Lease> {
  const result = await store.acquire(SESSION, owner(who), now);
  if (result.status !== "acquired") throw new Error(`held by ${result.holder.owner.id}`);
  return result.lease;
}

export const draft = (effects: readonly Effect[], base = 0, index = 0): Draft => ({
  at: AT + base,
  base,
  index,
  operation: "by-hand",
  reason: "the test says so",
  effects,
});

export const created = (title?: string): readonly Effect[] => [
  {
    type: "session.create",
    workspace: "/project",
    ...(title !== undefined && { title }),
    model: "demo/echo",
    mode: "ask",
    limits: { inferences: 9 },
  },
];

/** Batches on top of a session: steps of one commit each, or the commits of one step if `base` is given. */
export function advancedBy(
  session: Session,
  lease: Lease,
  batches: readonly (readonly Effect[])[],
): readonly Advanced[] {
  let current = session;
  return batches.map((effects) => {
    const next = advance(current, draft(effects, current.seq), lease.epoch);
    current = next.session;
    return next;
  });
}

export async function commit(
  store: Store,
  lease: Lease,
  ...batches: readonly (readonly Effect[])[]
): Promise<Committed> {
  const session = await loaded(store, lease.sessionId);
  return store.commit(lease, session, advancedBy(session, lease, batches));
}

export async function loaded(store: Store, id = SESSION): Promise<Session> {
  const session = await store.load(id);
  if (!session) throw new Error(`there is no session ${id}`);
  return session;
}

/** Everything a session holds, as text that is equal where sessions are. */
export function factsOf(session: Session): string {
  const { grants } = session.session;
  return canonicalJson({ ...projectionOf(session), grants, artifacts: [...session.artifacts] });
}

/** The session as its journal alone says it is. */
export async function foldedFromScratch(store: Store, id = SESSION): Promise<Session> {
  return (await store.entries(id, 0, 100_000)).reduce(fold, emptySession(id));
}

export const prompt = (id: string, text = id): Input => ({
  id: id as InputId,
  type: "prompt",
  author: "me",
  parts: [{ type: "text", text }],
});

export const decision = (id: string, callId: string, verdict: "approve" | "deny"): Input => ({
  id: id as InputId,
  type: "decision",
  author: "me",
  callId: callId as CallId,
  verdict,
});

export const consumed = (id: string): Effect => ({ type: "input.consume", id: id as InputId });
export const started = (id: string): Effect => ({ type: "turn.start", id: id as TurnId });
export const ended: Effect = { type: "turn.end", outcome: { status: "completed" } };

export const said = (id: string, text: string, kind: "prompt" | "notice" | "nudge" = "notice"): Effect => ({
  type: "message.append",
  message: { id: id as MessageId, kind, parts: [{ type: "text", text }] },
});

const request = {
  system: "You are helpful. ".repeat(20),
  tools: [{ name: "add", description: "adds", inputSchema: { type: "object" } }],
};

/** A reply with calls, named by their ids. */
export function replied(id: string, text: string, calls: Readonly<Record<string, JsonObject>> = {}): readonly Effect[] {
  const parts = Object.keys(calls).map((callId) => ({ type: "call" as const, callId: callId as CallId }));
  const finish = parts.length > 0 ? "calls" : "stop";
  return [
    {
      type: "message.append",
      message: { id: id as MessageId, kind: "reply", parts: [{ type: "text", text }, ...parts] },
      reply: { model: "demo/echo", finish, request },
    },
    ...Object.entries(calls).map(([callId, requested]) => ({
      type: "call.request" as const,
      id: callId as CallId,
      messageId: id as MessageId,
      providerId: `p-${callId}`,
      tool: "add",
      requested,
      owner: "tool-exec",
      declaration: { readOnly: true, idempotent: true, touches: [] },
    })),
  ];
}

const hashOf = (args: JsonObject): string => sha256(canonicalJson(args));
export const admitted = (id: string, args: JsonObject): Effect => ({
  type: "call.admit",
  id: id as CallId,
  args,
  hash: hashOf(args),
});
export const asked = (id: string): Effect => ({ type: "call.ask", id: id as CallId, reason: "mode ask" });
export const approved = (id: string, args: JsonObject): Effect => ({
  type: "call.decide",
  id: id as CallId,
  decision: { verdict: "approved", hash: hashOf(args), by: "policy", reason: "mode auto" },
});
export const dispatched = (id: string, epoch: number): Effect => ({ type: "call.dispatch", id: id as CallId, epoch });

export function settled(
  id: string,
  text: string,
  status: "succeeded" | "denied" | "interrupted" = "succeeded",
): readonly Effect[] {
  const messageId = `r-${id}` as MessageId;
  const content = [{ type: "text" as const, text }];
  const result = { type: "result" as const, callId: id as CallId, isError: status !== "succeeded", content };
  return [
    { type: "message.append", message: { id: messageId, kind: "result", parts: [result] } },
    { type: "call.settle", id: id as CallId, status, messageId },
  ];
}

/** A session that waits for a decision about call `c`. */
export async function sessionThatAsks(store: Store): Promise<Lease> {
  await store.create(SESSION, draft(created("a title")));
  const lease = await acquired(store);
  await store.append(SESSION, prompt("i1", "add"), AT);
  await commit(
    store,
    lease,
    [consumed("i1"), started("t"), said("m1", "add", "prompt")],
    replied("m2", "I will.", { c: { a: 1 } }),
    [admitted("c", { a: 1 }), asked("c")],
  );
  return lease;
}

/** A session with one finished turn, a settled call and an artifact. */
export async function wholeSession(store: Store, artifact = "a long output"): Promise<Lease> {
  const lease = await sessionThatAsks(store);
  await store.append(SESSION, decision("i2", "c", "approve"), AT);
  const decided = {
    verdict: "approved" as const,
    hash: hashOf({ a: 1 }),
    by: "me",
    reason: "",
    inputId: "i2" as InputId,
  };
  await commit(store, lease, [consumed("i2"), { type: "call.decide", id: "c" as CallId, decision: decided }]);
  await commit(store, lease, [dispatched("c", lease.epoch)]);
  store.artifacts.write(SESSION, "a" as never, "c" as CallId, artifact);
  await commit(
    store,
    lease,
    [...settled("c", "2"), { type: "artifact.link", id: "a" as never, callId: "c" as CallId }],
    [
      ...replied("m3", "It is 2."),
      {
        type: "usage.add",
        model: "demo/echo",
        inputTokens: 5,
        outputTokens: 2,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        cost: 0.25,
      },
    ],
    [{ type: "note.set", operation: "by-hand", version: 1, data: { seen: true } }, ended],
  );
  await store.append(SESSION, prompt("i3", "and now?"), AT + 50);
  return lease;
}
