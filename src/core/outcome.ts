/** How a turn ended, and how a session stands when the machine rests. */
import { z } from "zod";
import { ErrorKind } from "./error.ts";

/** How a turn ended. */
export const TurnOutcome = z.discriminatedUnion("status", [
  z.object({ status: z.literal("completed") }).readonly(),
  z.object({ status: z.literal("budget"), budget: z.string(), used: z.number(), limit: z.number() }).readonly(),
  z.object({ status: z.literal("blocked"), reason: z.string() }).readonly(),
  z.object({ status: z.literal("refused"), reason: z.string() }).readonly(),
  z.object({ status: z.literal("cancelled") }).readonly(),
  z
    .object({
      status: z.literal("failed"),
      error: z.object({ kind: ErrorKind, message: z.string() }).readonly(),
    })
    .readonly(),
]);
export type TurnOutcome = z.infer<typeof TurnOutcome>;

/** `until` is in milliseconds since 1970. */
export type Outcome =
  | TurnOutcome
  | { readonly status: "awaiting_approval" }
  | { readonly status: "awaiting_answer" }
  | { readonly status: "awaiting_retry"; readonly until: number };
