/** The ids of the engine: short text made in one place, branded so that one is never taken for another. */
import { z } from "zod";

const idText = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, "an id is 1 to 40 of A-Z a-z 0-9 _ -");

export const SessionId = idText.brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;
export const TurnId = idText.brand<"TurnId">();
export type TurnId = z.infer<typeof TurnId>;
export const MessageId = idText.brand<"MessageId">();
export type MessageId = z.infer<typeof MessageId>;
/** Unique in its session and never the provider's own id, which is kept beside it. */
export const CallId = idText.brand<"CallId">();
export type CallId = z.infer<typeof CallId>;
/** Given by the client: the same id again is the same input. */
export const InputId = idText.brand<"InputId">();
export type InputId = z.infer<typeof InputId>;
export const QuestionId = idText.brand<"QuestionId">();
export type QuestionId = z.infer<typeof QuestionId>;
export const TimerId = idText.brand<"TimerId">();
export type TimerId = z.infer<typeof TimerId>;
export const ArtifactId = idText.brand<"ArtifactId">();
export type ArtifactId = z.infer<typeof ArtifactId>;

/** Makes ids; the context decides which kind: `const id: CallId = newId()`. */
export type NewId = <T extends string>() => T;
