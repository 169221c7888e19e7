/** Takes a session over a draft: fold it, check it, and seal it as the entry that the journal will hold. */
import type { CommitEntry, Draft } from "./entry.ts";
import { BatchError } from "./error.ts";
import { fold } from "./fold.ts";
import type { Input } from "./input.ts";
import { checkBatch, InvariantError } from "./invariant.ts";
import { lifecycleOf } from "./lifecycle.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { Session } from "./session.ts";

export interface Advanced {
  readonly session: Session;
  readonly entry: CommitEntry;
}

/** An entry that is made and not yet told to anybody: what it led to is filled in. */
type Open = { -readonly [K in keyof CommitEntry]: CommitEntry[K] };

/** The session after a draft and the entry that says so. Throws BatchError if the draft breaks a rule. */
export function advance(session: Session, draft: Draft, epoch: number): Advanced {
  const from = lifecycleOf(session);
  const { at, base, index, operation, reason, effects } = draft;
  const entry: Open = {
    type: "commit",
    seq: session.seq + 1,
    at,
    epoch,
    base,
    index,
    operation,
    reason,
    turn: null,
    from,
    to: from,
    effects,
  };
  try {
    const after = fold(session, entry);
    entry.turn = after.turn?.id ?? null;
    entry.to = lifecycleOf(after);
    checkBatch({ effects, after, from, to: entry.to });
    return { session: after, entry };
  } catch (error) {
    if (error instanceof InvariantError) throw new BatchError(operation, error.rule, error.message);
    throw error;
  }
}

/**
 * Whether a draft may not be committed because of inputs that its step has not seen: a turn that would complete over the head
 * of a steer or cancel, or an input that was withdrawn and is now to be consumed. Any other input voids nothing.
 */
export function isSuperseded(session: Session, { base, effects }: Pick<Draft, "base" | "effects">): boolean {
  const unseen = session.inputs.filter(({ seq }) => seq > base);
  if (unseen.length === 0) return false;
  return effects.some((effect) => {
    if (effect.type === "turn.end")
      return completes(effect.outcome) && unseen.some(({ input }) => speaksUp(input, session));
    if (effect.type !== "input.consume") return false;
    return unseen.some(({ input }) => input.type === "withdraw" && input.inputId === effect.id);
  });
}

function completes({ status }: TurnOutcome): boolean {
  return status === "completed" || status === "refused";
}

/** Whether an input has something to say to the turn that is open. */
function speaksUp(input: Input, { turn }: Session): boolean {
  return input.type === "steer" || (input.type === "cancel" && (input.turnId ?? turn?.id) === turn?.id);
}
