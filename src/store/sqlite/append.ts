/** Creates sessions and appends inputs; conflicts are decided here, before anything is written. */
import { advance } from "../../core/advance.ts";
import type { Draft } from "../../core/entry.ts";
import { InputError, UsageError } from "../../core/error.ts";
import { emptySession, fold } from "../../core/fold.ts";
import type { InputId, SessionId } from "../../core/ids.ts";
import { targetOf } from "../../core/input.ts";
import type { Input } from "../../core/input.ts";
import { completed, judge, saysTheSame } from "../../core/judge.ts";
import type { Session } from "../../core/session.ts";
import type { Appended } from "../../core/store.ts";
import { NO_HASH } from "../hash.ts";
import type { Known } from "./known.ts";
import type { StoreParts } from "./parts.ts";
import { createRowMaker } from "./session-row.ts";

export function createCreate(parts: StoreParts): (id: SessionId, draft: Draft) => Promise<Session> {
  const { connection, known, loader, save, watchers } = parts;
  const rows = createRowMaker(connection.sqlite);
  return async (id, draft) => {
    const { session, entry } = advance(emptySession(id), draft, 0);
    await connection.write(
      () => {
        if (loader.head(id)) throw new UsageError(`there is a session ${id} already: choose another id`);
        const before: Known = { key: rows.add(id), hash: NO_HASH, session: emptySession(id), contents: new Map() };
        return save(before, session, [entry]);
      },
      (saved) => {
        known.remember(saved.known, saved.learned);
        watchers.tell(id, [entry]);
      },
    );
    return session;
  };
}

interface FirstInput {
  readonly id: string;
  readonly seq: number;
}

export function createAppend(parts: StoreParts): (id: SessionId, input: Input, at: number) => Promise<Appended> {
  const { connection, known, loader, save, watchers } = parts;
  const decide = createDecision(parts);
  return async (id, input, at) => {
    if (!known.get(id)) await warmUp(parts, id);
    const { appended } = await connection.write(
      () => {
        const before = loader.current(id);
        if (!before) throw new UsageError(`there is no session ${id}`);
        const decided = decide(before, input);
        if ("status" in decided) return { appended: decided };
        const entry = { type: "input" as const, seq: before.session.seq + 1, at, input: decided };
        const appended: Appended = { status: "appended", seq: entry.seq, inputId: input.id };
        return { appended, entry, saved: save(before, fold(before.session, entry), [entry]) };
      },
      ({ entry, saved }) => {
        if (!entry) return;
        known.remember(saved.known, saved.learned);
        watchers.tell(id, [entry]);
      },
    );
    return appended;
  };
}

/** Reads a session before a transaction that needs it, so that others do not wait for the reading. */
async function warmUp({ connection, known, loader }: StoreParts, id: SessionId): Promise<void> {
  const current = await connection.read(() => loader.current(id));
  if (current) known.remember(current);
}

/** Gives the input as it is to be stored, or which one said the same before; throws InputError if it may not be appended. */
function createDecision({ connection, loader }: StoreParts): (before: Known, input: Input) => Appended | Input {
  const byId = connection.sqlite.prepare<[number, string], FirstInput>(
    "select id, seq from inputs where session = ? and id = ?",
  );
  const byTarget = connection.sqlite.prepare<[number, string], FirstInput>(
    "select id, seq from inputs where session = ? and target = ?",
  );

  const sameAs = (key: number, first: FirstInput, input: Input): Appended => {
    const [entry] = loader.entries(key, first.seq - 1, 1);
    const stored = entry?.type === "input" ? entry.input : undefined;
    const asStored = input.type === "decision" && stored?.type === "decision" ? { hash: stored.hash, ...input } : input;
    if (stored && saysTheSame(stored, asStored)) {
      return { status: "same", seq: first.seq, inputId: first.id as InputId };
    }
    const why =
      first.id === input.id
        ? `input ${input.id} was sent before with other content: give this one an id of its own`
        : `${stored ? wonBy(stored) : "somebody was first"} (input ${first.id}), and that stands`;
    throw new InputError("conflict", why, first.id);
  };

  return ({ key, session }, input) => {
    const first = byId.get(key, input.id);
    if (first) return sameAs(key, first, input);
    const whole = completed(session, input);
    const target = targetOf(whole);
    const winner = target === undefined ? undefined : byTarget.get(key, target);
    if (winner) return sameAs(key, winner, whole);
    judge(session, whole);
    return whole;
  };
}

/** What a person who comes too late wants to know: what was decided, how far, and by whom. */
function wonBy(input: Input): string {
  if (input.type === "answer") return `question ${input.questionId} was answered by ${input.author} already`;
  if (input.type !== "decision") return `${input.author} was first`;
  const verdict = input.verdict === "approve" ? "approved" : "denied";
  const edited = input.args === undefined ? "" : " with edited arguments";
  const scope = input.scope === "session" ? " for the whole session" : "";
  return `call ${input.callId} was ${verdict}${edited}${scope} by ${input.author} already`;
}
