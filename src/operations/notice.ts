/** The effects that most operations end with: a word to the person, a word to the model, the end of the turn. */
import type { EffectOf } from "../core/effect.ts";
import type { MessageId } from "../core/ids.ts";
import type { MessageKind } from "../core/message.ts";
import type { StepContext } from "../core/operation.ts";
import type { TurnOutcome } from "../core/outcome.ts";
import type { Audience } from "../core/part.ts";

type Append = EffectOf<"message.append">;
/** What of a step's context a message needs. */
type Author = Pick<StepContext, "newId" | "clean">;

interface Said {
  readonly text: string;
  readonly audience?: Audience;
}

/** Tells the person, and not the model. The text goes through the door for text from outside. */
export function notice(ctx: Author, text: string): Append {
  return message(ctx, "notice", { text });
}

/** Tells the model, which then owes a reply; the person sees it too unless `audience` says otherwise. */
export function nudge(ctx: Author, text: string, audience?: Audience): Append {
  return message(ctx, "nudge", { text, ...(audience && { audience }) });
}

/** Words of others, ended like a sentence; they may have ended it already. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Ends the turn: in the same batch as what explains it, and never with a call, question or timer left open. */
export function endTurn(outcome: TurnOutcome): EffectOf<"turn.end"> {
  return { type: "turn.end", outcome };
}

function message(ctx: Author, kind: MessageKind, { text, audience }: Said): Append {
  const id: MessageId = ctx.newId();
  const parts = [{ type: "text" as const, text: ctx.clean(text) }];
  return { type: "message.append", message: { id, kind, parts, ...(audience && { audience }) } };
}
