/** What the calculator did, as lines in the order of the calls that it was done for. */
import type { Call } from "../../core/call.ts";
import type { CallId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import type { CalculatorEffect } from "../calculator/journal.ts";
import { numberCalls } from "./transcript-line.ts";

export function effectLine({ tool, args }: CalculatorEffect): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** In the order of the calls; those that were cut count once. Effects without a call come last. */
export function effectsByCall(
  session: Session,
  effects: readonly CalculatorEffect[],
  cut: readonly CallId[],
): readonly string[] {
  const calls = callsInOrder(session);
  const known = new Set<string>(calls.map(({ id }) => id));
  const lines = calls.flatMap((call) => {
    const own = effects.filter(({ idempotencyKey }) => idempotencyKey === call.id).map(effectLine);
    return cut.includes(call.id) && call.server === "calculator" ? [lineOf(call)] : own;
  });
  return [...lines, ...effects.filter(({ idempotencyKey = "" }) => !known.has(idempotencyKey)).map(effectLine)];
}

function lineOf(call: Call): string {
  return effectLine({ tool: call.tool.replace(/^calculator__/, ""), args: call.args ?? {} });
}

export function callsInOrder(session: Session): readonly Call[] {
  const numbers = numberCalls(session);
  const calls = [...session.calls.settled, ...session.calls.open.values()];
  return calls.toSorted((left, right) => (numbers.get(left.id) ?? 0) - (numbers.get(right.id) ?? 0));
}
