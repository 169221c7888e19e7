/** The reducer: the one place that says what an entry means for a session. */
import { AppendLog } from "./append-log.ts";
import type { Entry, CommitEntry, InputEntry } from "./entry.ts";
import type { Effect } from "./effect.ts";
import { foldCall } from "./fold-call.ts";
import type { CallEffect } from "./fold-call.ts";
import { foldTurn, phaseOf } from "./fold-turn.ts";
import type { SessionId } from "./ids.ts";
import type { Configuration } from "./input.ts";
import { violated } from "./invariant.ts";
import { MESSAGE_KINDS } from "./message.ts";
import type { Message } from "./message.ts";
import type { ModelTotals, Session, SessionInfo } from "./session.ts";

/** A session being folded: its members are replaced, what they hold is not changed. */
type Folding = { -readonly [K in keyof Session]: Session[K] };

/** A session before its first entry. */
export function emptySession(id: SessionId): Session {
  return {
    seq: 0,
    session: {
      id,
      workspace: "",
      model: "",
      mode: "ask",
      limits: { inferences: 1 },
      grants: [],
      createdAt: "",
      epoch: 0,
    },
    turn: undefined,
    messages: AppendLog.of(),
    calls: { open: new Map(), settled: AppendLog.of() },
    inputs: [],
    questions: [],
    timers: [],
    notes: {},
    usage: {},
    artifacts: AppendLog.of(),
  };
}

/** The session after one more entry. Pure; throws InvariantError if the entry cannot follow. */
export function fold(session: Session, entry: Entry): Session {
  if (entry.seq !== session.seq + 1) violated("seq-without-gap", `entry ${entry.seq} follows ${session.seq}`);
  return entry.type === "input" ? foldInput(session, entry) : foldCommit(session, entry);
}

function foldInput(session: Session, { seq, at, input }: InputEntry): Session {
  return { ...session, seq, inputs: [...session.inputs, { seq, at, held: false, input }] };
}

function foldCommit(session: Session, entry: CommitEntry): Session {
  const { epoch } = session.session;
  if (entry.epoch < epoch) violated("epoch-never-falls", `epoch ${entry.epoch} follows ${epoch}`);
  if (entry.base >= entry.seq) violated("base-before-entry", `the claim of entry ${entry.seq} saw entry ${entry.base}`);
  const folding: Folding = { ...session, seq: entry.seq };
  if (entry.epoch !== folding.session.epoch) folding.session = { ...folding.session, epoch: entry.epoch };
  for (const effect of entry.effects) foldEffect(folding, effect, entry);
  if (folding.turn) {
    const phase = phaseOf(folding.turn, folding);
    if (phase !== folding.turn.phase) folding.turn = { ...folding.turn, phase };
  }
  return folding;
}

function foldEffect(folding: Folding, effect: Effect, entry: CommitEntry): void {
  switch (effect.type) {
    case "session.create":
      folding.session = createdFrom(folding, effect, entry.at);
      return;
    case "session.set":
      folding.session = configured(folding.session, effect.set);
      return;
    case "message.append":
      folding.messages = folding.messages.append(storedMessage(folding, effect, entry));
      folding.turn = foldTurn(folding, effect, entry);
      return;
    case "turn.start":
    case "turn.end":
      folding.turn = foldTurn(folding, effect, entry);
      return;
    case "call.request":
    case "call.admit":
    case "call.ask":
    case "call.decide":
    case "call.dispatch":
    case "call.wait":
    case "call.settle":
      foldCallEffect(folding, effect, entry);
      return;
    case "usage.add":
      folding.usage = { ...folding.usage, [effect.model]: addTotals(folding.usage[effect.model], effect) };
      folding.turn = foldTurn(folding, effect, entry);
      return;
    case "timer.set":
      folding.timers = [...folding.timers.filter((timer) => timer.id !== effect.timer.id), effect.timer];
      folding.turn = foldTurn(folding, effect, entry);
      return;
    case "timer.clear":
      folding.timers = without(folding.timers, effect.id, "timer");
      folding.turn = foldTurn(folding, effect, entry);
      return;
    default:
      foldRecord(folding, effect);
  }
}

type RecordEffect = Extract<
  Effect,
  { type: `input.${string}` | `question.${string}` | "note.set" | "artifact.link" | "grant.add" }
>;

function foldRecord(folding: Folding, effect: RecordEffect): void {
  switch (effect.type) {
    case "input.consume":
      folding.inputs = withoutInput(folding, effect.id);
      return;
    case "input.hold":
      folding.inputs = folding.inputs.map((item) =>
        item.input.id === effect.id ? { ...item, held: effect.held } : item,
      );
      return;
    case "question.open":
      folding.questions = [...folding.questions, effect.question];
      return;
    case "question.close":
      folding.questions = without(folding.questions, effect.id, "question");
      return;
    case "note.set":
      folding.notes = noted(folding.notes, effect);
      return;
    case "artifact.link":
      folding.artifacts = folding.artifacts.append({ id: effect.id, callId: effect.callId });
      return;
    case "grant.add":
      folding.session = { ...folding.session, grants: [...folding.session.grants, effect.grant] };
      return;
    default:
      effect satisfies never;
  }
}

function createdFrom(folding: Folding, effect: Extract<Effect, { type: "session.create" }>, at: number): SessionInfo {
  if (folding.seq !== 1) violated("created-first", "a session is created by its first entry");
  const { type: _type, ...settings } = effect;
  return { ...folding.session, ...settings, createdAt: new Date(at).toISOString() };
}

function configured(session: SessionInfo, set: Configuration): SessionInfo {
  return {
    ...session,
    ...(set.title !== undefined && { title: set.title }),
    ...(set.model !== undefined && { model: set.model }),
    ...(set.mode !== undefined && { mode: set.mode }),
    ...(set.limits?.inferences !== undefined && { limits: { ...session.limits, inferences: set.limits.inferences } }),
  };
}

function storedMessage(
  folding: Folding,
  effect: Extract<Effect, { type: "message.append" }>,
  entry: CommitEntry,
): Message {
  const { message } = effect;
  if (folding.messages.get(message.id)) violated("unique-message-id", `message ${message.id} exists already`);
  const kind = MESSAGE_KINDS[message.kind];
  return {
    id: message.id,
    seq: entry.seq,
    turnId: folding.turn && !folding.turn.outcome ? folding.turn.id : null,
    role: kind.role,
    kind: message.kind,
    parts: message.parts,
    audience: message.audience ?? kind.audience,
    createdAt: new Date(entry.at).toISOString(),
    by: effect.by ?? entry.operation,
  };
}

function foldCallEffect(folding: Folding, effect: CallEffect, entry: CommitEntry): void {
  const turn = folding.turn ?? violated("call-in-turn", `${effect.type} outside a turn`);
  folding.calls = foldCall(folding.calls, effect, { at: entry.at, turnId: turn.id });
  if (effect.type === "call.request") folding.turn = { ...turn, calls: turn.calls + 1 };
}

function addTotals(before: ModelTotals | undefined, added: ModelTotals): ModelTotals {
  return {
    inputTokens: (before?.inputTokens ?? 0) + added.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + added.outputTokens,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + added.cachedInputTokens,
    cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + added.cacheWriteTokens,
    cost: before?.cost === null || added.cost === null ? null : (before?.cost ?? 0) + added.cost,
  };
}

function noted(notes: Session["notes"], effect: Extract<Effect, { type: "note.set" }>): Session["notes"] {
  const { [effect.operation]: _before, ...others } = notes;
  return effect.data === null
    ? others
    : { ...others, [effect.operation]: { version: effect.version, data: effect.data } };
}

function withoutInput(folding: Folding, id: string): Session["inputs"] {
  if (!folding.inputs.some((item) => item.input.id === id)) violated("input-pending", `input ${id} is not pending`);
  return folding.inputs.filter((item) => item.input.id !== id);
}

function without<T extends { readonly id: string }>(items: readonly T[], id: string, what: string): readonly T[] {
  if (!items.some((item) => item.id === id)) violated(`${what}-open`, `${what} ${id} is not open`);
  return items.filter((item) => item.id !== id);
}
