/** What the calculator did, as lines in the order of the calls that it was done for. */
import type { Call } from "../../core/call.ts";
import type { Session } from "../../core/session.ts";
import type { CalculatorEffect } from "../calculator/journal.ts";
import { numberCalls } from "./transcript-line.ts";

export function effectLine({ tool, args }: CalculatorEffect): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** In the order of the calls; effects without a call come last. */
export function effectsByCall(session: Session, effects: readonly CalculatorEffect[]): readonly string[] {
  const places = callsInOrder(session).map(({ id }): string => id);
  const place = ({ idempotencyKey = "" }: CalculatorEffect): number => {
    const at = places.indexOf(idempotencyKey);
    return at === -1 ? places.length : at;
  };
  return effects.toSorted((left, right) => place(left) - place(right)).map(effectLine);
}

export function callsInOrder(session: Session): readonly Call[] {
  const numbers = numberCalls(session);
  const calls = [...session.calls.settled, ...session.calls.open.values()];
  return calls.toSorted((left, right) => (numbers.get(left.id) ?? 0) - (numbers.get(right.id) ?? 0));
}
