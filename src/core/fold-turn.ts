/** What effects mean for the turn: its phase, its counters, its end. */
import type { Effect } from "./effect.ts";
import type { CommitEntry } from "./entry.ts";
import { violated } from "./invariant.ts";
import type { MessageKind, NewMessage } from "./message.ts";
import type { Part } from "./part.ts";
import type { Finish, Phase, Session, Turn } from "./session.ts";

export type TurnEffect = Extract<
  Effect,
  { type: `turn.${string}` | "message.append" | "usage.add" | `timer.${string}` }
>;

type AppendEffect = Extract<Effect, { type: "message.append" }>;

/** Where a message lands. */
interface Place {
  readonly seq: number;
  readonly openCalls: number;
}

/** Kinds of message after which the model owes a reply. */
const OWES_REPLY: ReadonlySet<MessageKind> = new Set(["prompt", "steer", "nudge", "denial", "result", "answer"]);

/** The phase is what is left to do, most urgent first. */
export function phaseOf(turn: Turn, session: Pick<Session, "calls" | "timers">): Phase {
  if (turn.outcome) return "ended";
  if (session.calls.open.size > 0) return "calls";
  if (turn.error) return "error";
  if (session.timers.length > 0) return "wait";
  return turn.owed ? "reply" : "end";
}

export function foldTurn(
  session: Pick<Session, "turn" | "calls">,
  effect: TurnEffect,
  entry: CommitEntry,
): Turn | undefined {
  const { turn } = session;
  if (effect.type === "turn.start") return startedTurn(turn, effect, entry);
  if (!turn || turn.outcome) {
    if (effect.type === "turn.end") violated("turn-ends-once", "there is no open turn to end");
    return turn;
  }
  switch (effect.type) {
    case "turn.end":
      return withoutError({ ...turn, outcome: effect.outcome });
    case "message.append":
      return withMessage(turn, effect, { seq: entry.seq, openCalls: session.calls.open.size });
    case "usage.add":
      return {
        ...turn,
        inputTokens: turn.inputTokens + effect.inputTokens,
        outputTokens: turn.outputTokens + effect.outputTokens,
        cost: turn.cost === null || effect.cost === null ? null : turn.cost + effect.cost,
      };
    case "timer.set":
      return withoutError(turn);
    case "timer.clear":
      return { ...turn, owed: true };
    default:
      return effect satisfies never;
  }
}

function startedTurn(
  last: Turn | undefined,
  effect: Extract<Effect, { type: "turn.start" }>,
  entry: CommitEntry,
): Turn {
  if (last && !last.outcome) violated("one-open-turn", `turn ${last.id} is open`);
  const spent = effect.continues !== undefined && last?.id === effect.continues ? last : undefined;
  return {
    id: effect.id,
    phase: "reply",
    owed: true,
    startSeq: entry.seq,
    startedAt: entry.at,
    ...(effect.inputId !== undefined && { inputId: effect.inputId }),
    ...(effect.continues !== undefined && { continues: effect.continues }),
    inferences: spent?.inferences ?? 0,
    calls: spent?.calls ?? 0,
    inputTokens: spent?.inputTokens ?? 0,
    outputTokens: spent?.outputTokens ?? 0,
    cost: spent ? spent.cost : 0,
    attempts: 0,
    emptyReplies: 0,
  };
}

function withMessage(turn: Turn, effect: AppendEffect, place: Place): Turn {
  const { message, reply } = effect;
  if (message.kind === "reply") {
    if (!reply) violated("reply-says-how", `reply ${message.id} does not say which model gave it`);
    if (place.openCalls > 0) violated("no-inference-while-a-call-is-open", `${place.openCalls} calls are open`);
    return withReply(turn, message, { seq: place.seq, finish: reply.finish });
  }
  if (message.kind === "error") return withError(turn, message.parts);
  const owes = { ...turn, owed: turn.owed || OWES_REPLY.has(message.kind) };
  return message.kind === "prompt" && turn.promptId === undefined ? { ...owes, promptId: message.id } : owes;
}

function withReply(turn: Turn, message: NewMessage, { seq, finish }: { seq: number; finish: Finish }): Turn {
  const text = message.parts.some((part) => part.type === "file" || (part.type === "text" && part.text.trim() !== ""));
  const calls = message.parts.filter((part) => part.type === "call").length;
  const lastReply = { messageId: message.id, seq, finish, text, calls };
  if (finish === "aborted") return { ...turn, owed: false, lastReply };
  const paused = finish === "paused";
  const empty = !text && calls === 0 && !paused;
  return {
    ...turn,
    owed: paused,
    lastReply,
    attempts: 0,
    emptyReplies: empty ? turn.emptyReplies + 1 : 0,
    inferences: empty ? turn.inferences : turn.inferences + 1,
  };
}

/** An error of the model is one more failed attempt; other errors are only told. */
function withError(turn: Turn, parts: readonly Part[]): Turn {
  const error = parts.find((part) => part.type === "error");
  if (!error || !(error.kind.startsWith("model_") || error.kind === "context_overflow")) return turn;
  const { kind, message, retryAfterMs } = error;
  return {
    ...turn,
    attempts: turn.attempts + 1,
    error: { kind, message, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  };
}

function withoutError(turn: Turn): Turn {
  const { error: _answered, ...others } = turn;
  return others;
}
