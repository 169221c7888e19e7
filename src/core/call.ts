/** Tool calls: each has its own lifecycle, moved only along the table below. */
import { z } from "zod";
import { CallId, InputId, MessageId, QuestionId, TurnId } from "./ids.ts";
import { JsonObject } from "./json.ts";
import { ToolDeclaration } from "./tool.ts";

/**
 * Where a call is between the model's request and its result. Moved by `fold` as the `call.*` effects of operations say, along
 * CALL_TABLE. `dispatched` found at the start of a step means that whoever ran it is gone; `unknown`, that nobody can say whether
 * it took effect.
 */
export const CallStatus = z.enum([
  "requested",
  "admitted",
  "awaiting_approval",
  "approved",
  "dispatched",
  "waiting",
  "succeeded",
  "failed",
  "denied",
  "interrupted",
  "unknown",
]);
export type CallStatus = z.infer<typeof CallStatus>;

/** From each status, those that may follow. The ones without a follower are final. */
export const CALL_TABLE: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  requested: ["admitted", "failed", "denied", "interrupted"],
  admitted: ["awaiting_approval", "approved", "denied", "interrupted"],
  awaiting_approval: ["approved", "denied", "admitted", "failed", "interrupted"],
  approved: ["dispatched", "failed", "interrupted"],
  dispatched: ["waiting", "dispatched", "succeeded", "failed", "interrupted", "unknown"],
  waiting: ["succeeded", "failed", "interrupted"],
  succeeded: [],
  failed: [],
  denied: [],
  interrupted: [],
  unknown: [],
};

export const FinalCallStatus = CallStatus.extract(["succeeded", "failed", "denied", "interrupted", "unknown"]);
export type FinalCallStatus = z.infer<typeof FinalCallStatus>;

/** Who approved or denied a call and why; `hash` is of the arguments that were decided about. */
export const Decision = z
  .object({
    verdict: z.enum(["approved", "denied"]),
    hash: z.string(),
    /** The author of the input, or `policy`. */
    by: z.string(),
    /** The mode or grant that decided, or the person's reason. */
    reason: z.string(),
    inputId: InputId.optional(),
  })
  .readonly();
export type Decision = z.infer<typeof Decision>;

/** The operating system's process of a dispatched call; `startedAt` tells it from a later one with the same pid. */
export const CallProcess = z.object({ pid: z.number().int(), startedAt: z.string() }).readonly();
export type CallProcess = z.infer<typeof CallProcess>;

/** When a call reached a stage, in milliseconds since 1970. */
const CallTimes = z
  .object({ requested: z.number(), dispatched: z.number().optional(), settled: z.number().optional() })
  .readonly();

const callFields = {
  id: CallId,
  /** As the provider named it; may repeat within a session. */
  providerId: z.string(),
  turnId: TurnId,
  messageId: MessageId,
  tool: z.string(),
  status: CallStatus,
  /** The operation that contributed the tool when the model requested it; null if none did. */
  owner: z.string().nullable(),
  server: z.string().optional(),
  declaration: ToolDeclaration.nullable(),
  subject: z.string().optional(),
  /** sha256 of the canonical JSON of the arguments as they will run. */
  hash: z.string().optional(),
  edited: z.boolean().optional(),
  attempts: z.number().int(),
  epoch: z.number().int().optional(),
  process: CallProcess.optional(),
  askReason: z.string().optional(),
  decision: Decision.optional(),
  questionId: QuestionId.optional(),
  resultMessageId: MessageId.optional(),
  times: CallTimes,
};

/**
 * One tool call. `requested` is what the model sent: an object, or the raw text if it was no JSON object. `args` are the
 * final arguments, absent until admitted. The idempotency key is the call's id.
 */
export const Call = z
  .object({ ...callFields, requested: z.union([JsonObject, z.string()]), args: JsonObject.optional() })
  .readonly();
export type Call = z.infer<typeof Call>;

/** How often a call that is safe to repeat may be dispatched. */
export const MAX_DISPATCHES = 3;

/** Whether a call has its result and moves no more: then it is among the settled ones. */
export function isFinal(status: CallStatus): status is FinalCallStatus {
  return CALL_TABLE[status].length === 0;
}

/** A call found dispatched at the start of a step has lost whoever ran it. */
export function isOrphan(call: Call): boolean {
  return call.status === "dispatched";
}

/** An orphan that its declaration allows to run again. */
export function mayRunAgain(call: Call): boolean {
  const { declaration } = call;
  return declaration !== null && (declaration.readOnly || declaration.idempotent) && call.attempts < MAX_DISPATCHES;
}

/** A call that its owner is to run now: approved, or an orphan that is safe to repeat. */
export function isReady(call: Call): boolean {
  return call.status === "approved" || (isOrphan(call) && mayRunAgain(call));
}
