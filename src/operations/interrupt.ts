/** Ends the turn that a cancel names: closes whatever is open, holds back what was queued before it, in one commit. */
import { isOrphan } from "../core/call.ts";
import type { EffectOf } from "../core/effect.ts";
import type { CallId } from "../core/ids.ts";
import type { PendingInput } from "../core/input.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext, View } from "../core/operation.ts";
import type { Calls } from "../core/session.ts";
import { settleOpen } from "../core/settle-open.ts";
import { endTurn, notice } from "./notice.ts";
import { stillRuns } from "./process-table.ts";
import type { ProcessTable } from "./process-table.ts";

const INTERRUPTED = "The user interrupted this turn.";

/**
 * The first of the pipeline, so that nothing runs once a cancel is stored. What a call of an owner that is gone had started,
 * and still runs, is ended.
 */
export const interrupt = (processes: ProcessTable) =>
  defineOperation({
    name: "interrupt",
    reads: ["turn", "calls", "inputs", "questions", "timers"],
    writes: [
      "input.consume",
      "input.hold",
      "call.settle",
      "message.append",
      "question.close",
      "timer.clear",
      "turn.end",
    ],
    durability: "on-barrier",
    claim: (view) => {
      const cancels = cancelsOf(view);
      const last = cancels.at(-1);
      return last
        ? claim({ ids: cancels.map(({ input }) => input.id), seq: last.seq }, `${last.input.author} cancelled the turn`)
        : pass("no cancel of an open turn is pending");
    },
    async *run({ ids, seq }, ctx, view) {
      const orphans = await endOrphans(view.calls, processes, ctx);
      const told = notice(ctx, INTERRUPTED);
      yield [
        ...settleOpen(view, ctx, ({ id }) => `${INTERRUPTED}${orphans.get(id) ?? ""}`),
        ...ids.map((id) => ({ type: "input.consume" as const, id })),
        ...heldBack(seq, view.inputs),
        { ...told, message: { ...told.message, audience: { user: true, model: true } } },
        endTurn({ status: "cancelled" }),
      ];
    },
  });

/** Ends what dispatched calls left running; what is said of each. */
async function endOrphans(
  calls: Calls,
  processes: ProcessTable,
  ctx: StepContext,
): Promise<ReadonlyMap<CallId, string>> {
  const words = new Map<CallId, string>();
  for (const { id, process } of [...calls.open.values()].filter(isOrphan)) {
    if (!process || !processes.isRunning(process)) continue;
    await ctx.barrier();
    const gone = await processes.end(process, id);
    words.set(id, gone ? ` Its process ${process.pid} still ran and was ended.` : ` ${stillRuns(process)}`);
  }
  return words;
}

function cancelsOf({ turn, inputs }: View<"turn" | "inputs">): readonly PendingInput[] {
  if (!turn || turn.outcome) return [];
  return inputs.filter(({ input }) => input.type === "cancel" && (input.turnId ?? turn.id) === turn.id);
}

/** Prompts and steers that were sent before a cancel wait until the person speaks again; a `continue` is void. */
export function heldBack(
  seq: number,
  inputs: readonly PendingInput[],
): readonly EffectOf<"input.hold" | "input.consume">[] {
  return inputs
    .filter((item) => item.seq < seq)
    .flatMap(({ held, input }): readonly EffectOf<"input.hold" | "input.consume">[] => {
      if (input.type === "continue") return [{ type: "input.consume", id: input.id }];
      if (held || (input.type !== "prompt" && input.type !== "steer")) return [];
      return [{ type: "input.hold", id: input.id, held: true }];
    });
}
