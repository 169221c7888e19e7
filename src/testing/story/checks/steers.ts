/** A turn does not complete over the head of a steer: whoever spoke before its end was heard in it. */
import type { Entry } from "../../../core/entry.ts";
import { emptySession, fold } from "../../../core/fold.ts";
import type { Check } from "./check.ts";

export const steersAreHeard: Check = ({ entries, session }) => {
  const problems: string[] = [];
  let before = emptySession(session.session.id);
  for (const entry of entries) {
    const after = fold(before, entry);
    const steers = after.inputs.filter(({ input, held }) => input.type === "steer" && !held);
    if (completes(entry) && steers.length > 0) {
      problems.push(`the turn completed at ${entry.seq}, and the steer of ${steers[0]?.seq} had not been heard`);
    }
    before = after;
  }
  return problems;
};

function completes(entry: Entry): boolean {
  return (
    entry.type === "commit" &&
    entry.effects.some(
      (effect) =>
        effect.type === "turn.end" && (effect.outcome.status === "completed" || effect.outcome.status === "refused"),
    )
  );
}
