/** Settles calls whose runner is gone: a step begins with nothing in flight, so a dispatched call was left by a crash. */
import { isOrphan, mayRunAgain } from "../core/call.ts";
import type { Call } from "../core/call.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import { settleCall, unknownEffect } from "../core/settle-open.ts";
import { stillRuns } from "./process-table.ts";
import type { ProcessTable } from "./process-table.ts";

/** Calls that are safe to repeat are left to their owner, which runs them again with the same key; any other becomes `unknown`. */
export const recover = (processes: ProcessTable) =>
  defineOperation({
    name: "recover",
    reads: ["calls"],
    writes: ["message.append", "call.settle"],
    durability: "on-barrier",
    claim: ({ calls }) => {
      const lost = [...calls.open.values()].filter((call) => isOrphan(call) && !mayRunAgain(call));
      return lost.length > 0
        ? claim(lost, `${lost.map((call) => call.tool).join(", ")} lost its runner and may not be repeated`)
        : pass("no call has lost its runner, or it may simply run again");
    },
    async *run(lost, ctx) {
      yield lost.flatMap((call) => settleCall(call, unknownEffect(call, whatIsKnown(call, processes)), ctx.newId));
    },
  });

function whatIsKnown(call: Call, processes: ProcessTable): string {
  const before = "The process that ran this call ended before its result was stored.";
  if (!call.process || !processes.isRunning(call.process)) return before;
  return `${before} ${stillRuns(call.process)}`;
}
