/** What can go wrong, as data that operations react to (kinds) and as the few errors that are thrown. */
import { z } from "zod";

export const ErrorKind = z.enum([
  "model_overloaded",
  "model_rate_limited",
  "model_unavailable",
  "model_auth",
  "model_invalid_request",
  "model_invalid_output",
  "model_output_cut",
  "model_empty",
  "context_overflow",
  "tool_timeout",
  "tool_schema",
  "tool_failed",
  "tool_unavailable",
  "permission_denied",
  "human_rejected",
  "interrupted",
  "unknown_effect",
  "invariant",
  "no_progress",
  "stuck",
  "store",
  "internal",
]);
/** The kind decides how the engine recovers; its message is for people only. */
export type ErrorKind = z.infer<typeof ErrorKind>;

/** Bad usage, input or configuration: the message names the thing, the value and the next move. Nothing was written. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An input that cannot be appended: its target is unknown or settled, or another decision has won. Nothing was written. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly reason: "unknown-target" | "settled-target" | "conflict" | "invalid";
  /** The id of the input that won, when the reason is a conflict. */
  readonly winner: string | undefined;
  constructor(reason: InputError["reason"], message: string, winner?: string) {
    super(message);
    this.reason = reason;
    this.winner = winner;
  }
}

/** The store cannot do its work (locked, full, damaged, foreign, newer): the message names the file and the next move. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** The lease was taken over by another process; nothing of what was to be committed was written. */
export class FencedError extends Error {
  override readonly name = "FencedError";
}

/** A batch that breaks the contract of its operation or an invariant: a bug, named by operation, effect and rule. */
export class BatchError extends Error {
  override readonly name = "BatchError";
  readonly operation: string;
  readonly rule: string;
  constructor(operation: string, rule: string, detail: string) {
    super(`operation "${operation}" broke the rule "${rule}": ${detail}`);
    this.operation = operation;
    this.rule = rule;
  }
}

/** What went wrong in words. Anything can be thrown, also what has none. */
export function wordsOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "it threw what cannot be shown";
  }
}
