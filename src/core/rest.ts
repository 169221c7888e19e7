/** Reads from a session at rest what it waits for. */
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

/** The outcome of a session at rest; undefined if it never had a turn. An open turn that waits for nothing is stuck. */
export function outcomeOf(session: Session): Outcome | undefined {
  const { turn } = session;
  // What was held before the first turn began was held by a cancel.
  if (!turn) return session.inputs.some(({ held }) => held) ? { status: "cancelled" } : undefined;
  if (turn.outcome) return turn.outcome;
  if ([...session.calls.open.values()].some((call) => call.status === "awaiting_approval")) {
    return { status: "awaiting_approval" };
  }
  if (session.questions.length > 0) return { status: "awaiting_answer" };
  const until = session.timers.map((timer) => timer.until);
  if (until.length > 0) return { status: "awaiting_retry", until: Math.min(...until) };
  return {
    status: "failed",
    error: { kind: "stuck", message: `turn ${turn.id} is open in phase "${turn.phase}" and no operation claims it` },
  };
}
