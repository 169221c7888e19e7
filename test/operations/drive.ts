/** Drives operations through the real core in memory: a model that is itself an operation, and crashes at any commit. */
import { createHash } from "node:crypto";
import { advance } from "../../src/core/advance.ts";
import type { Effect } from "../../src/core/effect.ts";
import type { CommitEntry } from "../../src/core/entry.ts";
import { emptySession } from "../../src/core/fold.ts";
import { MessageId, SessionId, TurnId } from "../../src/core/ids.ts";
import { canonicalJson, wellFormed } from "../../src/core/json.ts";
import type { MessageKind } from "../../src/core/message.ts";
import { claim, defineOperation, pass } from "../../src/core/operation.ts";
import type { Operation, StepContext } from "../../src/core/operation.ts";
import type { ErrorPart, Part } from "../../src/core/part.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import type { Finish, Session } from "../../src/core/session.ts";
import { step } from "../../src/core/step.ts";

let ids = 0;
function newId<T extends string>(): T {
  ids += 1;
  return `id${ids}` as T;
}

/** A session in a turn whose prompt says `prompt`, before any reply. */
export function started(prompt: string, limit = 50): Session {
  const empty = emptySession(SessionId.parse("session"));
  const create = {
    type: "session.create",
    workspace: "/project",
    model: "fake/model",
    mode: "ask",
    limits: { inferences: limit },
  } as const;
  return turnOf(applied(empty, [create]), prompt);
}

/** The session in one more turn. */
export function turnOf(session: Session, prompt: string): Session {
  const turnId = TurnId.parse(`turn${session.seq}`);
  return applied(session, [{ type: "turn.start", id: turnId }, message("prompt", prompt)]);
}

export function message(kind: MessageKind, text: string): Effect {
  return { type: "message.append", message: { id: newId(), kind, parts: [{ type: "text", text }] } };
}

export function applied(session: Session, effects: readonly Effect[], at = 0): Session {
  const draft = { at, base: session.seq, index: 0, operation: "test", reason: "arranged by the test", effects };
  return advance(session, draft, 1).session;
}

/** What the scripted model does: words, words with a finish, a failure, or a batch of its own. */
export type Says =
  | string
  | { readonly text: string; readonly finish: Finish }
  | Omit<ErrorPart, "type">
  | { readonly calls: readonly { readonly tool: string; readonly owner: string; readonly args: { name?: string } }[] };

/** An operation in the place of inference: its nth request in the session gets the nth of `script`. */
export function model(script: readonly Says[]): Operation {
  return defineOperation({
    name: "inference",
    reads: ["turn", "messages"],
    writes: ["message.append", "call.request", "call.admit", "call.decide"],
    claim({ turn, messages }) {
      if (turn?.phase !== "reply") return pass("the model owes no reply");
      const asked = [...messages].filter(({ kind }) => kind === "reply" || kind === "error").length;
      return claim(script[asked] ?? "nothing is left in the script", "the model owes a reply");
    },
    async *run(says) {
      if (typeof says !== "string" && "kind" in says) {
        const part: ErrorPart = { type: "error", ...says };
        yield [{ type: "message.append", message: { id: newId(), kind: "error", parts: [part] } }];
        return;
      }
      yield typeof says !== "string" && "calls" in says ? withCalls(says.calls) : [reply(says)];
    },
  });
}

function reply(says: string | { readonly text: string; readonly finish: Finish }) {
  const { text, finish } = typeof says === "string" ? { text: says, finish: "stop" as const } : says;
  return appended([{ type: "text", text }], finish);
}

function appended(parts: readonly Part[], finish: Finish) {
  const info = { model: "fake/model", finish, request: { system: "", tools: [] } };
  const id = newId<MessageId>();
  return { type: "message.append" as const, message: { id, kind: "reply" as const, parts }, reply: info };
}

function withCalls(calls: Extract<Says, { calls: unknown }>["calls"]) {
  const named = calls.map((call) => ({ ...call, id: newId<never>() }));
  const parts = named.map(({ id }) => ({ type: "call" as const, callId: id }));
  const asked = appended(parts, "calls");
  const declaration = { readOnly: true, idempotent: true, touches: [] };
  return [
    asked,
    ...named.flatMap(({ id, tool, owner, args }) => {
      const hash = canonicalJson(args);
      const decision = { verdict: "approved" as const, hash, by: "policy", reason: "reads only" };
      const request = { id, messageId: asked.message.id, providerId: id, tool, requested: args, owner, declaration };
      return [
        { type: "call.request" as const, ...request },
        { type: "call.admit" as const, id, args, hash },
        { type: "call.decide" as const, id, decision },
      ];
    }),
  ];
}

export interface Drive {
  /** The time of each claim and commit; a test may move it. */
  readonly clock: { at: number };
  /** Drop the running generator right after each of these commits, counted from 1. */
  readonly killedAfter?: readonly number[];
  /** Aborted when the person cancels. */
  readonly signal?: AbortSignal;
}

export interface Ran {
  readonly session: Session;
  readonly entries: readonly CommitEntry[];
}

/** Steps until nobody claims the session. */
export async function driven(session: Session, operations: readonly Operation[], drive?: Partial<Drive>): Promise<Ran> {
  const clock = drive?.clock ?? { at: 0 };
  const entries: CommitEntry[] = [];
  let head = session;
  for (let steps = 0; steps < 200; steps += 1) {
    const pipeline = createPipeline(operations);
    const steppedFrom = head.seq;
    const commits = step(head, pipeline, { now: () => clock.at, contextFor: () => context(clock, drive?.signal) });
    for await (const { draft } of commits) {
      const next = advance(head, draft, 1);
      head = next.session;
      entries.push(next.entry);
      if (drive?.killedAfter?.includes(entries.length)) break;
    }
    if (head.seq === steppedFrom) return { session: head, entries };
  }
  throw new Error("the machine does not come to rest");
}

function context(clock: { at: number }, signal = new AbortController().signal): StepContext {
  return {
    signal,
    epoch: 1,
    now: () => clock.at,
    newId,
    hash: (value) => createHash("sha256").update(canonicalJson(value)).digest("base64url"),
    clean: (text) => wellFormed(text).replaceAll("hunter2-secret", "[redacted:TEST]"),
    emit: () => undefined,
    barrier: async () => undefined,
    contributions: () => Promise.reject(new Error("no operation under test asks for contributions")),
    heard: {
      async *[Symbol.asyncIterator]() {},
    },
  };
}

/** The conversation as lines of `kind: text`. */
export function transcript(session: Session): readonly string[] {
  return [...session.messages].map(({ kind, parts }) => `${kind}: ${parts.map(words).join(" ")}`);
}

function words(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "error":
      return part.kind;
    case "result":
      return part.content.map((piece) => (piece.type === "text" ? piece.text : piece.type)).join(" ");
    default:
      return part.type;
  }
}

/** For each commit of the straight run: the same story with a crash right after it. */
export async function killedEverywhere(
  story: (killedAfter: readonly number[]) => Promise<Ran>,
): Promise<readonly Ran[]> {
  const straight = await story([]);
  const runs: Ran[] = [];
  for (let commit = 1; commit <= straight.entries.length; commit += 1) runs.push(await story([commit]));
  return runs;
}
