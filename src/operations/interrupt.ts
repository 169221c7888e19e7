/** Ends the turn that a cancel names: closes whatever is open, holds back what was queued before it, in one commit. */
import type { EffectOf } from "../core/effect.ts";
import type { PendingInput } from "../core/input.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { View } from "../core/operation.ts";
import { settleOpen } from "../core/settle-open.ts";
import { endTurn, notice } from "./notice.ts";

const INTERRUPTED = "The user interrupted this turn.";

/** The first of the pipeline, so that nothing runs once a cancel is stored. */
export const interrupt = () =>
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
      yield [
        ...settleOpen(view, ctx, INTERRUPTED),
        ...ids.map((id) => ({ type: "input.consume" as const, id })),
        ...heldBack(seq, view.inputs),
        {
          ...notice(ctx, INTERRUPTED),
          message: { ...notice(ctx, INTERRUPTED).message, audience: { user: true, model: true } },
        },
        endTurn({ status: "cancelled" }),
      ];
    },
  });

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
