/** The note of stop-hook: which hooks were started and finished, so that none is asked twice about one end. */
import { z } from "zod";
import type { EffectOf } from "../core/effect.ts";
import { MessageId, TurnId } from "../core/ids.ts";
import type { Session } from "../core/session.ts";

/** `allow`: the turn may complete. `deny`: the model gets the reason and goes on. */
export const HookAnswer = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("allow") }).readonly(),
  z.object({ verdict: z.literal("deny"), reason: z.string() }).readonly(),
]);
export type HookAnswer = z.infer<typeof HookAnswer>;

const HookRun = z
  .object({
    hook: z.string(),
    ordinal: z.number().int(),
    attempt: z.number().int(),
    state: z.enum(["started", "allow", "deny", "broken"]),
  })
  .readonly();
export type HookRun = z.infer<typeof HookRun>;

/** Of one turn. `runs` are about one end, the reply that would be the last; `ordinal` is the highest given in the turn. */
const HookJournal = z
  .object({
    turnId: TurnId,
    replyId: MessageId,
    denials: z.number().int(),
    ordinal: z.number().int(),
    runs: z.array(HookRun).readonly(),
  })
  .readonly();
export type HookJournal = z.infer<typeof HookJournal>;

const VERSION = 1;

/** What happened so far: empty for a new turn, without runs for a new end of the same turn. */
export function hookJournal(notes: Session["notes"], turnId: TurnId, replyId: MessageId): HookJournal {
  const note = notes["stop-hook"];
  const parsed = note?.version === VERSION ? HookJournal.safeParse(note.data) : undefined;
  if (!parsed?.success || parsed.data.turnId !== turnId) return { turnId, replyId, denials: 0, ordinal: 0, runs: [] };
  return parsed.data.replyId === replyId ? parsed.data : { ...parsed.data, replyId, runs: [] };
}

/** The journal with a run added, or in the place of an earlier state of itself. */
export function withRun(journal: HookJournal, run: HookRun): HookJournal {
  const others = journal.runs.filter(({ ordinal }) => ordinal !== run.ordinal);
  return { ...journal, ordinal: Math.max(journal.ordinal, run.ordinal), runs: [...others, run] };
}

export function noteOf(journal: HookJournal): EffectOf<"note.set"> {
  return { type: "note.set", operation: "stop-hook", version: VERSION, data: journal };
}
