/** Ends a turn whose last reply left nothing to do, with the outcome that this reply deserves. */
import { textOf } from "../core/message.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { TurnOutcome } from "../core/outcome.ts";
import type { Finish } from "../core/session.ts";
import { endTurn, notice } from "./notice.ts";

/** Stands last: whatever may send the model back to work has had its say. */
export function settle() {
  return defineOperation({
    name: "settle",
    reads: ["turn", "messages"],
    writes: ["message.append", "turn.end"],
    durability: "on-barrier",
    claim({ turn, messages }) {
      if (turn?.phase !== "end" || !turn.lastReply) return pass("the turn is not at its end");
      const { finish, messageId } = turn.lastReply;
      const text = textOf(messages.get(messageId)?.parts ?? []).trim();
      return claim(outcomeOfReply(finish, text), `the last reply ended with "${finish}" and no call`);
    },
    async *run(outcome, ctx) {
      yield outcome.status === "failed"
        ? [notice(ctx, `${outcome.error.message} Continue to go on.`), endTurn(outcome)]
        : [endTurn(outcome)];
    },
  });
}

function outcomeOfReply(finish: Finish, text: string): TurnOutcome {
  switch (finish) {
    case "stop":
    case "calls":
    case "paused":
    case "other":
      return { status: "completed" };
    case "refusal":
      return { status: "refused", reason: text || "The model or its provider refused to answer and gave no reason." };
    case "length":
      return failed("model_output_cut", "The reply was cut off at the model's output limit; what there is was kept.");
    case "aborted":
      // A cancel ends its turn before this is asked; what is left is a reply cut by a shutdown, and that is no answer.
      return failed("interrupted", "The reply was interrupted before it was complete; what there is was kept.");
    default:
      return finish satisfies never;
  }
}

function failed(kind: "model_output_cut" | "interrupted", message: string): TurnOutcome {
  return { status: "failed", error: { kind, message } };
}
