/** Entries: the rows of the journal. What is not an entry did not happen. */
import { z } from "zod";
import { Effect } from "./effect.ts";
import { TurnId } from "./ids.ts";
import { Input } from "./input.ts";
import { Lifecycle } from "./lifecycle.ts";

const common = {
  /** Without gaps, from 1. */
  seq: z.number().int().positive(),
  /** Milliseconds since 1970, from the clock of who appended it. */
  at: z.number(),
};

export const InputEntry = z.object({ type: z.literal("input"), ...common, input: Input }).readonly();
export type InputEntry = z.infer<typeof InputEntry>;

/**
 * One commit of a step. `base` is the seq of the session that the claim saw, the same for all commits of one step, and
 * `index` counts them; `from` and `to` are the lifecycle before and after.
 */
export const CommitEntry = z
  .object({
    type: z.literal("commit"),
    ...common,
    epoch: z.number().int(),
    base: z.number().int(),
    index: z.number().int(),
    operation: z.string(),
    reason: z.string(),
    turn: TurnId.nullable(),
    from: Lifecycle,
    to: Lifecycle,
    effects: z.array(Effect).min(1).readonly(),
  })
  .readonly();
export type CommitEntry = z.infer<typeof CommitEntry>;

export const Entry = z.discriminatedUnion("type", [InputEntry, CommitEntry]);
export type Entry = z.infer<typeof Entry>;

/** What a step hands over to be committed: an entry without what only the journal can say. */
export interface Draft {
  readonly at: number;
  readonly base: number;
  readonly index: number;
  readonly operation: string;
  readonly reason: string;
  readonly effects: readonly Effect[];
}
