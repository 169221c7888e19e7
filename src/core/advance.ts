/** Takes a session over a draft: fold it, check it, and seal it as the entry that the journal will hold. */
import type { Effect } from "./effect.ts";
import type { CommitEntry, Draft, InputEntry } from "./entry.ts";
import { BatchError } from "./error.ts";
import { fold } from "./fold.ts";
import { checkBatch, InvariantError } from "./invariant.ts";
import { lifecycleOf } from "./lifecycle.ts";
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
 * Whether a draft must be dropped because of inputs that arrived while it was made: a turn that would complete over the
 * head of a steer or cancel, or an input that was withdrawn and is now to be consumed. Any other input voids nothing.
 */
export function isSuperseded(effects: readonly Effect[], arrived: readonly InputEntry[]): boolean {
  return effects.some((effect) => {
    if (effect.type === "turn.end") {
      const { status } = effect.outcome;
      if (status !== "completed" && status !== "refused") return false;
      return arrived.some(({ input }) => input.type === "steer" || input.type === "cancel");
    }
    if (effect.type !== "input.consume") return false;
    return arrived.some(({ input }) => input.type === "withdraw" && input.inputId === effect.id);
  });
}
