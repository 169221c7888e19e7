/** A reply with neither answer nor call is asked for again, a few times, before the turn fails. */
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { Finish } from "../core/session.ts";
import { endTurn, notice, nudge } from "./notice.ts";

/** Empty replies in a row after which the turn fails: the first and two more. */
const MAX_EMPTY = 3;
/** An empty refusal, cut or cancelled reply has an outcome of its own. */
const SAYS_NOTHING_ELSE: ReadonlySet<Finish> = new Set(["stop", "other", "calls"]);

/** Empty replies do not count as inferences, so the attempts are outside that budget. */
export function emptyReply() {
  return defineOperation({
    name: "empty-reply",
    reads: ["turn"],
    writes: ["message.append", "turn.end"],
    durability: "on-barrier",
    before: ["stop-hook", "settle"],
    claim({ turn }) {
      if (turn?.phase !== "end" || !turn.lastReply) return pass("the turn is not at its end");
      const { text, calls, finish } = turn.lastReply;
      if (text || calls > 0) return pass("the last reply is not empty");
      if (!SAYS_NOTHING_ELSE.has(finish)) return pass(`an empty reply that ended with "${finish}" is told otherwise`);
      return claim({ empty: turn.emptyReplies }, `${turn.emptyReplies} empty replies in a row`);
    },
    async *run({ empty }, ctx) {
      if (empty < MAX_EMPTY) {
        yield [nudge(ctx, "Your last reply was empty. Answer, or call a tool.", { user: false, model: true })];
        return;
      }
      const message = `The model gave ${empty} empty replies in a row.`;
      yield [
        notice(ctx, `${message} Continue to ask again, or choose another model.`),
        endTurn({ status: "failed", error: { kind: "model_empty", message } }),
      ];
    },
  });
}
