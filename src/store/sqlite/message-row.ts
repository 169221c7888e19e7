/** Messages as rows, and back: a message read from a row is like any other, but parses its parts on first use. */
import type { MessageId, TurnId } from "../../core/ids.ts";
import { MESSAGE_KINDS } from "../../core/message.ts";
import type { Message, MessageKind } from "../../core/message.ts";
import type { Audience } from "../../core/part.ts";
import { lazyMember } from "./lazy.ts";

export type MessageRow = [
  id: string,
  seq: number,
  turnId: string | null,
  kind: string,
  audience: number,
  createdAt: number,
  author: string,
  parts: number,
];

/** The text of content. */
export type Body = (ref: number) => string;

const AUDIENCES: readonly Audience[] = [0, 1, 2, 3].map((bits) => ({
  user: (bits & 1) !== 0,
  model: (bits & 2) !== 0,
}));

export function messageRow(message: Message, parts: number): MessageRow {
  const { id, seq, turnId, kind, audience, createdAt, by } = message;
  const bits = (audience.user ? 1 : 0) + (audience.model ? 2 : 0);
  return [id, seq, turnId, kind, bits, Date.parse(createdAt), by, parts];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const defineParts = lazyMember("parts");

export function messageOf(row: MessageRow, body: Body): Message {
  const [id, seq, turnId, kind, audience, createdAt, author, content] = row;
  const message: Partial<Mutable<Message>> = {
    id: id as MessageId,
    seq,
    turnId: turnId as TurnId | null,
    role: MESSAGE_KINDS[kind as MessageKind].role,
    kind: kind as MessageKind,
  };
  defineParts(message, content, body);
  message.audience = AUDIENCES[audience] as Audience;
  message.createdAt = new Date(createdAt).toISOString();
  message.by = author;
  return message as Message;
}
