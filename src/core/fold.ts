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
type Draft = { -readonly [K in keyof Session]: Session[K] };

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
  const draft: Draft = { ...session, seq: entry.seq };
  if (entry.epoch !== draft.session.epoch) draft.session = { ...draft.session, epoch: entry.epoch };
  for (const effect of entry.effects) foldEffect(draft, effect, entry);
  if (draft.turn) {
    const phase = phaseOf(draft.turn, draft);
    if (phase !== draft.turn.phase) draft.turn = { ...draft.turn, phase };
  }
  return draft;
}

function foldEffect(draft: Draft, effect: Effect, entry: CommitEntry): void {
  switch (effect.type) {
    case "session.create":
      draft.session = createdFrom(draft, effect, entry.at);
      return;
    case "session.set":
      draft.session = configured(draft.session, effect.set);
      return;
    case "message.append":
      draft.messages = draft.messages.append(storedMessage(draft, effect, entry));
      draft.turn = foldTurn(draft, effect, entry);
      return;
    case "turn.start":
    case "turn.end":
      draft.turn = foldTurn(draft, effect, entry);
      return;
    case "call.request":
    case "call.admit":
    case "call.ask":
    case "call.decide":
    case "call.dispatch":
    case "call.wait":
    case "call.settle":
      foldCallEffect(draft, effect, entry);
      return;
    case "usage.add":
      draft.usage = { ...draft.usage, [effect.model]: addTotals(draft.usage[effect.model], effect) };
      draft.turn = foldTurn(draft, effect, entry);
      return;
    case "timer.set":
      draft.timers = [...draft.timers.filter((timer) => timer.id !== effect.timer.id), effect.timer];
      draft.turn = foldTurn(draft, effect, entry);
      return;
    case "timer.clear":
      draft.timers = without(draft.timers, effect.id, "timer");
      draft.turn = foldTurn(draft, effect, entry);
      return;
    default:
      foldRecord(draft, effect);
  }
}

type RecordEffect = Extract<
  Effect,
  { type: `input.${string}` | `question.${string}` | "note.set" | "artifact.link" | "grant.add" }
>;

function foldRecord(draft: Draft, effect: RecordEffect): void {
  switch (effect.type) {
    case "input.consume":
      draft.inputs = withoutInput(draft, effect.id);
      return;
    case "input.hold":
      draft.inputs = draft.inputs.map((item) => (item.input.id === effect.id ? { ...item, held: effect.held } : item));
      return;
    case "question.open":
      draft.questions = [...draft.questions, effect.question];
      return;
    case "question.close":
      draft.questions = without(draft.questions, effect.id, "question");
      return;
    case "note.set":
      draft.notes = noted(draft.notes, effect);
      return;
    case "artifact.link":
      draft.artifacts = draft.artifacts.append({ id: effect.id, callId: effect.callId });
      return;
    case "grant.add":
      draft.session = { ...draft.session, grants: [...draft.session.grants, effect.grant] };
      return;
    default:
      effect satisfies never;
  }
}

function createdFrom(draft: Draft, effect: Extract<Effect, { type: "session.create" }>, at: number): SessionInfo {
  if (draft.seq !== 1) violated("created-first", "a session is created by its first entry");
  const { type: _type, ...settings } = effect;
  return { ...draft.session, ...settings, createdAt: new Date(at).toISOString() };
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

function storedMessage(draft: Draft, effect: Extract<Effect, { type: "message.append" }>, entry: CommitEntry): Message {
  const { message } = effect;
  if (draft.messages.get(message.id)) violated("unique-message-id", `message ${message.id} exists already`);
  const kind = MESSAGE_KINDS[message.kind];
  return {
    id: message.id,
    seq: entry.seq,
    turnId: draft.turn && !draft.turn.outcome ? draft.turn.id : null,
    role: kind.role,
    kind: message.kind,
    parts: message.parts,
    audience: message.audience ?? kind.audience,
    createdAt: new Date(entry.at).toISOString(),
    by: effect.by ?? entry.operation,
  };
}

function foldCallEffect(draft: Draft, effect: CallEffect, entry: CommitEntry): void {
  const turn = draft.turn ?? violated("call-in-turn", `${effect.type} outside a turn`);
  draft.calls = foldCall(draft.calls, effect, { at: entry.at, turnId: turn.id });
  if (effect.type === "call.request") draft.turn = { ...turn, calls: turn.calls + 1 };
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

function withoutInput(draft: Draft, id: string): Session["inputs"] {
  if (!draft.inputs.some((item) => item.input.id === id)) violated("input-pending", `input ${id} is not pending`);
  return draft.inputs.filter((item) => item.input.id !== id);
}

function without<T extends { readonly id: string }>(items: readonly T[], id: string, what: string): readonly T[] {
  if (!items.some((item) => item.id === id)) violated(`${what}-open`, `${what} ${id} is not open`);
  return items.filter((item) => item.id !== id);
}
