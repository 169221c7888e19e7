/** A session: everything that decides what happens next, as `fold` leaves it after each entry. */
import { z } from "zod";
import { AppendLog } from "./append-log.ts";
import type { Call } from "./call.ts";
import { ErrorKind } from "./error.ts";
import { CallId, InputId, MessageId, QuestionId, SessionId, TimerId, TurnId } from "./ids.ts";
import { Limits, Mode } from "./input.ts";
import type { PendingInput } from "./input.ts";
import { JsonObject, JsonValue } from "./json.ts";
import type { Message } from "./message.ts";
import { TurnOutcome } from "./outcome.ts";

/** A standing approval: calls of `tool` whose subject matches `pattern` (`*` any text, `\` takes the next character as it is). */
export const Grant = z
  .object({ tool: z.string(), pattern: z.string(), scope: z.literal("session"), callId: CallId })
  .readonly();
export type Grant = z.infer<typeof Grant>;

/** The session's settings: the slice `session`. Whatever a claim compares with is here. */
export const SessionInfo = z
  .object({
    id: SessionId,
    /** Absolute path of the folder that the tools work in. */
    workspace: z.string(),
    title: z.string().optional(),
    /** `provider/name`. */
    model: z.string(),
    mode: Mode,
    limits: Limits,
    grants: z.array(Grant).readonly(),
    createdAt: z.string(),
    /** Of the last entry that a step committed; 0 before. */
    epoch: z.number().int(),
  })
  .readonly();
export type SessionInfo = z.infer<typeof SessionInfo>;

/** What claims are written in; kept by fold. */
export const Phase = z.enum(["calls", "error", "wait", "reply", "end", "ended"]);
export type Phase = z.infer<typeof Phase>;

/** How a reply ended. `paused`: the provider wants it back and goes on with it. `aborted`: it was cut by a cancel. */
export const Finish = z.enum(["stop", "length", "calls", "refusal", "paused", "other", "aborted"]);
export type Finish = z.infer<typeof Finish>;

/** `text`: it holds an answer, in words or as a file. */
const LastReply = z
  .object({ messageId: MessageId, seq: z.number(), finish: Finish, text: z.boolean(), calls: z.number().int() })
  .readonly();

/**
 * The turn that is open, or the last one. Counters are of this turn and of those it continues; `attempts` are failed model
 * requests in a row, `emptyReplies` replies in a row with neither answer nor call. `owed`: the model owes a reply.
 */
export const Turn = z
  .object({
    id: TurnId,
    phase: Phase,
    owed: z.boolean(),
    startSeq: z.number().int(),
    startedAt: z.number(),
    inputId: InputId.optional(),
    promptId: MessageId.optional(),
    continues: TurnId.optional(),
    inferences: z.number().int(),
    calls: z.number().int(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cost: z.number().nullable(),
    attempts: z.number().int(),
    emptyReplies: z.number().int(),
    lastReply: LastReply.optional(),
    error: z
      .object({ kind: ErrorKind, message: z.string(), retryAfterMs: z.number().optional() })
      .readonly()
      .optional(),
    outcome: TurnOutcome.optional(),
  })
  .readonly();
export type Turn = z.infer<typeof Turn>;

/** A durable wait. `until` is in milliseconds since 1970; a claim is asked with the time it is. */
export const Timer = z.object({ id: TimerId, purpose: z.string(), until: z.number() }).readonly();
export type Timer = z.infer<typeof Timer>;

/** Something only a person can answer; `schema` is the JSON Schema of the answer. */
export const Question = z
  .object({ id: QuestionId, callId: CallId.optional(), question: z.string(), schema: JsonObject.optional() })
  .readonly();
export type Question = z.infer<typeof Question>;

/** What an operation already did, never something it could compute again. */
export const Note = z.object({ version: z.number().int(), data: JsonValue }).readonly();
export type Note = z.infer<typeof Note>;

/** Tokens and cost (USD; null once a price was unknown) of one model. */
export const ModelTotals = z
  .object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedInputTokens: z.number(),
    cacheWriteTokens: z.number(),
    cost: z.number().nullable(),
  })
  .readonly();
export type ModelTotals = z.infer<typeof ModelTotals>;
export type Usage = Readonly<Record<string, ModelTotals>>;

/** USD over all models; null where a price was unknown. */
export function costOf(usage: Usage): number | null {
  let cost = 0;
  for (const totals of Object.values(usage)) {
    if (totals.cost === null) return null;
    cost += totals.cost;
  }
  return cost;
}

/** Calls that are not settled, in the order they were requested, and those that are, in the order they settled. */
export interface Calls {
  readonly open: ReadonlyMap<CallId, Call>;
  readonly settled: AppendLog<Call>;
}

/** An artifact that a result refers to; its text is in the store. */
export interface ArtifactLink {
  readonly id: string;
  readonly callId: CallId;
}

/** Immutable. `seq` is of the last entry folded; the other members are the slices that operations read. */
export interface Session {
  readonly seq: number;
  readonly session: SessionInfo;
  readonly turn: Turn | undefined;
  readonly messages: AppendLog<Message>;
  readonly calls: Calls;
  readonly inputs: readonly PendingInput[];
  readonly questions: readonly Question[];
  readonly timers: readonly Timer[];
  readonly notes: Readonly<Record<string, Note>>;
  readonly usage: Usage;
  readonly artifacts: AppendLog<ArtifactLink>;
}

export function callById(calls: Calls, id: CallId): Call | undefined {
  return calls.open.get(id) ?? calls.settled.get(id);
}
