/** The parts that a message is made of. Content never changes once it is stored. */
import { z } from "zod";
import { ErrorKind } from "./error.ts";
import { ArtifactId, CallId } from "./ids.ts";
import { JsonObject, JsonValue } from "./json.ts";

/** Opaque data of a provider (a signature, an encrypted reasoning): sent back unchanged to that provider, never to another. */
export const ProviderMetadata = z.object({ provider: z.string(), data: JsonObject }).readonly();
export type ProviderMetadata = z.infer<typeof ProviderMetadata>;

/** Whom a message, or one piece of a result, is for. */
export const Audience = z.object({ user: z.boolean(), model: z.boolean() }).readonly();
export type Audience = z.infer<typeof Audience>;

const metadata = ProviderMetadata.optional();

export const TextPart = z.object({ type: z.literal("text"), text: z.string(), metadata }).readonly();
const ReasoningPart = z.object({ type: z.literal("reasoning"), text: z.string(), metadata }).readonly();
/** `data` is base64. */
export const FilePart = z
  .object({ type: z.literal("file"), mediaType: z.string(), data: z.string(), name: z.string().optional(), metadata })
  .readonly();
/** One tool call, by id: the call itself has its own lifecycle in `calls`. */
const CallPart = z.object({ type: z.literal("call"), callId: CallId, metadata }).readonly();
/** A call that the provider ran itself, with the result it reported, if any; never a call of ours. */
const ProviderCallPart = z
  .object({
    type: z.literal("provider-call"),
    providerId: z.string(),
    tool: z.string(),
    args: JsonValue,
    result: JsonValue.optional(),
    metadata,
    resultMetadata: metadata,
  })
  .readonly();

/** One piece of what a tool returned; an absent audience means both. */
export const ResultContent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), audience: Audience.optional() }).readonly(),
  z.object({ type: z.literal("json"), value: JsonValue, audience: Audience.optional() }).readonly(),
  z
    .object({ type: z.literal("file"), mediaType: z.string(), data: z.string(), audience: Audience.optional() })
    .readonly(),
]);
export type ResultContent = z.infer<typeof ResultContent>;

/** What came of a call. `artifacts` hold what was too large for the message. */
export const ResultPart = z
  .object({
    type: z.literal("result"),
    callId: CallId,
    isError: z.boolean(),
    errorKind: ErrorKind.optional(),
    content: z.array(ResultContent).readonly(),
    artifacts: z.array(ArtifactId).readonly().optional(),
  })
  .readonly();
export type ResultPart = z.infer<typeof ResultPart>;

/** A failure that the conversation records. `retryAfterMs` is the wait that the provider asked for. */
export const ErrorPart = z
  .object({
    type: z.literal("error"),
    kind: ErrorKind,
    message: z.string(),
    retryAfterMs: z.number().optional(),
    status: z.number().optional(),
  })
  .readonly();
export type ErrorPart = z.infer<typeof ErrorPart>;

export const Part = z.discriminatedUnion("type", [
  TextPart,
  ReasoningPart,
  FilePart,
  CallPart,
  ProviderCallPart,
  ResultPart,
  ErrorPart,
]);
export type Part = z.infer<typeof Part>;
