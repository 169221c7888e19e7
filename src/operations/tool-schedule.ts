/** Which calls may run at the same time: those that only read, and those that touch nothing in common. */
import type { Call } from "../core/call.ts";

/** Whether two calls must not overlap. A tool that says nothing of itself touches everything. */
function conflict(left: Call, right: Call): boolean {
  if (left.declaration?.readOnly && right.declaration?.readOnly) return false;
  const [ours, theirs] = [left.declaration?.touches ?? ["*"], right.declaration?.touches ?? ["*"]];
  if (ours.length === 0 || theirs.length === 0) return false;
  return ours.includes("*") || theirs.includes("*") || ours.some((what) => theirs.includes(what));
}

/** The waiting calls that may start now, in order: none that conflicts with a running one or overtakes one it conflicts with. */
export function startable(waiting: readonly Call[], running: readonly Call[]): readonly Call[] {
  const ahead = [...running];
  const starts: Call[] = [];
  for (const call of waiting) {
    if (!ahead.some((other) => conflict(call, other))) starts.push(call);
    ahead.push(call);
  }
  return starts;
}
