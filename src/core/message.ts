/** Messages: what the conversation is made of. */
import { z } from "zod";
import { MessageId, TurnId } from "./ids.ts";
import { Audience, Part } from "./part.ts";

/** What a message is, so that nobody guesses it from role and visibility. */
export const MessageKind = z.enum([
  "prompt",
  "steer",
  "reply",
  "result",
  "answer",
  "notice",
  "error",
  "nudge",
  "denial",
  "context",
]);
export type MessageKind = z.infer<typeof MessageKind>;

export const Role = z.enum(["user", "assistant", "tool", "system"]);
export type Role = z.infer<typeof Role>;

/** Each kind has one role, and an audience unless the message says otherwise. */
export const MESSAGE_KINDS: Readonly<Record<MessageKind, { readonly role: Role; readonly audience: Audience }>> = {
  prompt: { role: "user", audience: { user: true, model: true } },
  steer: { role: "user", audience: { user: true, model: true } },
  reply: { role: "assistant", audience: { user: true, model: true } },
  result: { role: "tool", audience: { user: true, model: true } },
  answer: { role: "user", audience: { user: true, model: true } },
  notice: { role: "system", audience: { user: true, model: false } },
  error: { role: "system", audience: { user: true, model: false } },
  nudge: { role: "user", audience: { user: true, model: true } },
  denial: { role: "tool", audience: { user: true, model: true } },
  context: { role: "user", audience: { user: false, model: true } },
};

/** What an operation appends; seq, turn, time and author come from the entry that carries it. */
export const NewMessage = z
  .object({
    id: MessageId,
    kind: MessageKind,
    parts: z.array(Part).readonly(),
    audience: Audience.optional(),
  })
  .readonly();
export type NewMessage = z.infer<typeof NewMessage>;

/** A stored message. `by` is the operation, or the author of the input, that made it; `createdAt` is ISO text. */
export interface Message {
  readonly id: MessageId;
  readonly seq: number;
  readonly turnId: TurnId | null;
  readonly role: Role;
  readonly kind: MessageKind;
  readonly parts: readonly Part[];
  readonly audience: Audience;
  readonly createdAt: string;
  readonly by: string;
}

/** The text of a message as a person reads it, without reasoning. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
