/** Where a session is in its life, as a pure function of the session; every entry records from where to where it went. */
import { z } from "zod";
import type { Session } from "./session.ts";

export const Lifecycle = z.enum([
  "new",
  "deciding",
  "acting",
  "awaiting_approval",
  "awaiting_answer",
  "awaiting_retry",
  "ended",
]);
export type Lifecycle = z.infer<typeof Lifecycle>;

const OPEN: readonly Lifecycle[] = [
  "deciding",
  "acting",
  "awaiting_approval",
  "awaiting_answer",
  "awaiting_retry",
  "ended",
];

/** From each stage, those that one entry may lead to: a session is never new again, and an ended one begins by deciding. */
export const LIFECYCLE_TABLE: Readonly<Record<Lifecycle, readonly Lifecycle[]>> = {
  new: ["new", "deciding"],
  deciding: OPEN,
  acting: OPEN,
  awaiting_approval: OPEN,
  awaiting_answer: OPEN,
  awaiting_retry: OPEN,
  ended: ["ended", "deciding"],
};

/** Acting while anything is approved or dispatched, else what the session waits for, else deciding. */
export function lifecycleOf(session: Session): Lifecycle {
  const { turn } = session;
  if (!turn) return "new";
  if (turn.outcome) return "ended";
  let asks = false;
  for (const call of session.calls.open.values()) {
    if (call.status === "approved" || call.status === "dispatched") return "acting";
    asks ||= call.status === "awaiting_approval";
  }
  if (asks) return "awaiting_approval";
  if (session.questions.length > 0) return "awaiting_answer";
  if (session.timers.length > 0) return "awaiting_retry";
  return "deciding";
}
