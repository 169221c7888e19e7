/** The port of models: one streamed request, in the engine's own words. */
import type { ErrorKind } from "./error.ts";
import type { CallId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ProviderMetadata, ResultContent } from "./part.ts";
import type { ToolSpec } from "./tool.ts";

export type UserContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly mediaType: string; readonly data: string };

export type AssistantContent =
  | { readonly type: "text"; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly type: "reasoning"; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly type: "file"; readonly mediaType: string; readonly data: string; readonly metadata?: ProviderMetadata }
  | {
      readonly type: "call";
      readonly callId: CallId;
      readonly tool: string;
      readonly args: JsonObject;
      readonly metadata?: ProviderMetadata;
    }
  | {
      readonly type: "provider-call";
      readonly providerId: string;
      readonly tool: string;
      readonly args: JsonValue;
      readonly result?: JsonValue;
      readonly metadata?: ProviderMetadata;
      readonly resultMetadata?: ProviderMetadata;
    };

export interface ToolContent {
  readonly callId: CallId;
  readonly tool: string;
  readonly isError: boolean;
  /** Only pieces that the model may see. */
  readonly content: readonly ResultContent[];
}

/** One message as a model gets it. Each object is made once and never changes, so adapters may remember what they made of it. */
export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly UserContent[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantContent[] }
  | { readonly role: "tool"; readonly content: readonly ToolContent[] };

export interface ModelRequest {
  /** Empty if there is none. */
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Every call is followed at once by its results, in call order. Not to be kept or changed. */
  readonly messages: readonly ModelMessage[];
  /** Short reminders for this request alone; they go last. */
  readonly attention: readonly string[];
}

/** Tokens as the provider counted them; `inputTokens` includes the cached ones. `cost` is in USD, null where a price is unknown. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cost: number | null;
}

/** `paused`: the provider interrupted its own work and goes on when it gets the reply back. */
export type FinishReason = "stop" | "length" | "calls" | "refusal" | "paused" | "other";

/** A failed request. `retryAfterMs` is what the provider asked for; `limit` names the time limit that was hit, for people: recovery goes by kind. */
export interface ModelFailure {
  readonly kind: Extract<ErrorKind, `model_${string}` | "context_overflow">;
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly limit?: "connect" | "first-byte" | "idle" | "total";
}

/**
 * One piece of a streamed reply. Pieces of one block carry its `id` and never interleave with another block's meaning;
 * metadata of a later piece of the same block is merged over that of an earlier one. `args` of a call is the raw text as it
 * came, valid JSON or not. `usage` is absent where the provider told none.
 */
export type ModelPart =
  | { readonly type: "text-delta"; readonly id: string; readonly text: string; readonly metadata?: ProviderMetadata }
  | {
      readonly type: "reasoning-delta";
      readonly id: string;
      readonly text: string;
      readonly metadata?: ProviderMetadata;
    }
  | { readonly type: "call-delta"; readonly id: string; readonly tool: string; readonly text: string }
  | {
      readonly type: "call";
      readonly providerId: string;
      readonly tool: string;
      readonly args: string;
      readonly metadata?: ProviderMetadata;
    }
  | {
      readonly type: "provider-call";
      readonly providerId: string;
      readonly tool: string;
      readonly args: JsonValue;
      readonly metadata?: ProviderMetadata;
    }
  | {
      readonly type: "provider-result";
      readonly providerId: string;
      readonly result: JsonValue;
      readonly metadata?: ProviderMetadata;
    }
  | { readonly type: "file"; readonly mediaType: string; readonly data: string; readonly metadata?: ProviderMetadata }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage?: ModelUsage }
  | { readonly type: "failure"; readonly failure: ModelFailure; readonly usage?: ModelUsage };

/**
 * A model that can be asked. `stream` never throws and never retries: it ends with exactly one `finish` or `failure`, unless
 * the signal was aborted, after which it ends soon with neither. A stream that just stops is a failure, never a finish.
 */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** Gives the model for a `provider/name`; throws UsageError for an unknown provider or a missing key, naming the variable. */
export type Models = (id: string) => Promise<Model>;
