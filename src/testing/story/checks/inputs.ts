/** Whoever spoke before the end of a turn was heard in it, and what was withdrawn never arrived. */
import type { CommitEntry, Entry } from "../../../core/entry.ts";
import { emptySession, fold } from "../../../core/fold.ts";
import type { Input } from "../../../core/input.ts";
import type { Session } from "../../../core/session.ts";
import type { Check } from "./check.ts";

export const inputsAreHeard: Check = ({ entries, session }) => {
  let before = emptySession(session.session.id);
  return entries.flatMap((entry: Entry) => {
    const problems = entry.type === "commit" ? [...overrun(entry, before), ...arrived(entry, before)] : [];
    before = fold(before, entry);
    return problems;
  });
};

/** A turn does not complete over the head of a steer. */
function overrun({ seq, effects }: CommitEntry, { inputs }: Session): readonly string[] {
  const completes = effects.some(
    (effect) =>
      effect.type === "turn.end" && (effect.outcome.status === "completed" || effect.outcome.status === "refused"),
  );
  const unheard = inputs.find(({ input, held }) => input.type === "steer" && !held && !consumes(effects, input.id));
  return completes && unheard ? [`the turn completed at ${seq}, and the steer of ${unheard.seq} was not heard`] : [];
}

/** What is pending together with the input that withdraws it neither starts a turn nor becomes a message. */
function arrived({ seq, effects }: CommitEntry, { inputs }: Session): readonly string[] {
  const withdrawn = new Set(inputs.flatMap(({ input }) => (input.type === "withdraw" ? [input.inputId] : [])));
  return inputs
    .filter(({ input }) => withdrawn.has(input.id) && consumes(effects, input.id) && acts(effects, input))
    .map(({ input }) => `the ${input.type} ${input.id} was withdrawn, and arrived at ${seq} all the same`);
}

function acts(effects: CommitEntry["effects"], input: Input): boolean {
  const parts = "parts" in input ? JSON.stringify(input.parts) : undefined;
  return effects.some(
    (effect) =>
      (effect.type === "turn.start" && effect.inputId === input.id) ||
      (effect.type === "message.append" && JSON.stringify(effect.message.parts) === parts),
  );
}

function consumes(effects: CommitEntry["effects"], id: string): boolean {
  return effects.some((effect) => effect.type === "input.consume" && effect.id === id);
}
