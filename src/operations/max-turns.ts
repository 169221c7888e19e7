/** A turn may use so many model calls and no more: at the limit it ends, and shortly before it the model is told. */
import type { Contribution } from "../core/contribution.ts";
import type { Limits } from "../core/input.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { Turn } from "../core/session.ts";
import { endTurn, notice } from "./notice.ts";

/** The budget runs low at this share of the limit, or at this number of calls. */
const LOW_SHARE = 0.2;
const LOW_CALLS = 3;

/**
 * Claims only where the model owes one more reply, so the calls of the last allowed reply still run and a finished answer is
 * no budget stop. The limit is the session's: raising it lets `continue` go on.
 */
export function maxTurns() {
  return defineOperation({
    name: "max-turns",
    reads: ["session", "turn"],
    writes: ["message.append", "turn.end"],
    durability: "on-barrier",
    claim({ session, turn }) {
      if (turn?.phase !== "reply") return pass("the model owes no reply");
      const limit = session.limits.inferences;
      const used = turn.inferences;
      if (used < limit) return pass(`${limit - used} of ${limit} model calls left`);
      return claim({ used, limit }, `the turn used its ${limit} model calls`);
    },
    async *run({ used, limit }, ctx) {
      yield [
        notice(
          ctx,
          `Stopped at the limit of model calls: ${used} of ${limit} were used. Raise the limit and continue to go on.`,
        ),
        endTurn({ status: "budget", budget: "inferences", used, limit }),
      ];
    },
    contribute: ({ session, turn }) => attentionNearLimit(turn, session.limits),
  });
}

/** Attention and never the system prompt, whose prefix has to stay the same from request to request. */
function attentionNearLimit(turn: Turn | undefined, { inferences: limit }: Limits): Contribution {
  if (!turn || turn.outcome) return {};
  const left = limit - turn.inferences;
  if (left > LOW_CALLS && left > limit * LOW_SHARE) return {};
  if (left > 1)
    return { attention: `${left} of ${limit} model calls are left in this turn, this one included: come to an end.` };
  return {
    attention:
      "This is the last model call of this turn: answer now. Tool calls would still run, but you would not see their results.",
  };
}
