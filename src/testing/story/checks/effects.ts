/** Calls took effect as often as their status says: every line of the calculator's journal names its call. */
import { MAX_DISPATCHES } from "../../../core/call.ts";
import type { Call } from "../../../core/call.ts";
import type { Session } from "../../../core/session.ts";
import type { CalculatorEffect } from "../../calculator/journal.ts";
import { callsInOrder } from "../effect-lines.ts";

/** What is wrong with how often calls took effect; empty if nothing is. */
export function miscounted(session: Session, effects: readonly CalculatorEffect[]): readonly string[] {
  return callsInOrder(session)
    .filter(({ server }) => server === "calculator")
    .flatMap((call) => {
      const times = effects.filter(({ idempotencyKey }) => idempotencyKey === call.id).length;
      const [least, most] = allowed(call);
      if (times >= least && times <= most) return [];
      return [`${call.tool} is ${call.status} after ${call.attempts} dispatches, and took effect ${times} times`];
    });
}

/** A call that was never dispatched does nothing; one that is not safe to repeat acts once at most. */
function allowed(call: Call): readonly [least: number, most: number] {
  if (call.attempts === 0) return [0, 0];
  const safe = call.declaration?.readOnly || call.declaration?.idempotent;
  const most = safe ? Math.min(call.attempts, MAX_DISPATCHES) : 1;
  return [call.status === "succeeded" ? 1 : 0, most];
}
