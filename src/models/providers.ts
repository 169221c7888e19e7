/** The providers: where they are, how their key is found, and what of a conversation their API takes. */
import type { LanguageModelV3, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { JsonObject } from "../core/json.ts";

export interface Access {
  readonly apiKey: string | undefined;
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
}

/** What a provider's API takes, and how its package names what it must get back. */
export interface Dialect {
  /** The key under which the package reports metadata. */
  readonly metadataKey: string;
  /** The key under which the package wants it back. */
  readonly optionsKey: string;
  /** Whether reasoning of the same provider can be sent back; `siblings` is all such metadata of the message. */
  takesReasoning(data: JsonObject, siblings: readonly JsonObject[]): boolean;
  /** Media types that a user, a tool result and the model itself may show it. */
  readonly files: Readonly<Record<"user" | "result" | "assistant", RegExp | undefined>>;
  /** Whether calls that the provider ran itself are sent back. */
  readonly takesProviderCalls: boolean;
  /** Whether the prefix to cache must be marked. */
  readonly marksCache: boolean;
  /** Whether its package gives a call id that is repeated within a reply a new one; then the wire is asked. */
  readonly renamesRepeatedIds?: true;
  /** Options of every request. */
  readonly options?: SharedV3ProviderOptions;
}

export interface Provider extends Dialect {
  /** Environment variables that may hold the key, the usual one first. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  /** Where the API is; absent if only the user can say. A base URL without a path gets this one's. */
  readonly url?: string;
  /** Imported only when a model of it is wanted: each package takes about 150 ms. */
  load(): Promise<(access: Access, name: string) => LanguageModelV3>;
}

const pictureOrPdf = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;
const anyMedia = /^(image|audio|video)\/|^application\/pdf$/;

export const PROVIDERS = {
  anthropic: {
    keyVariables: ["ANTHROPIC_API_KEY"],
    needsKey: true,
    url: "https://api.anthropic.com/v1",
    metadataKey: "anthropic",
    optionsKey: "anthropic",
    takesReasoning: (data) => typeof data["signature"] === "string" || typeof data["redactedData"] === "string",
    files: { user: pictureOrPdf, result: pictureOrPdf, assistant: undefined },
    takesProviderCalls: true,
    marksCache: true,
    async load() {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return ({ apiKey = "", baseURL, fetch }, name) => createAnthropic({ apiKey, baseURL, fetch })(name);
    },
  },
  openai: {
    keyVariables: ["OPENAI_API_KEY"],
    needsKey: true,
    url: "https://api.openai.com/v1",
    metadataKey: "openai",
    optionsKey: "openai",
    // One reasoning item may be several parts, of which only the last has the content that makes it acceptable.
    takesReasoning: (data, siblings) =>
      siblings.some(
        (other) => other["itemId"] === data["itemId"] && typeof other["reasoningEncryptedContent"] === "string",
      ),
    files: { user: pictureOrPdf, result: pictureOrPdf, assistant: undefined },
    takesProviderCalls: false,
    marksCache: false,
    // Our conversation is the state: nothing is kept there, so reasoning comes and goes encrypted.
    options: { openai: { store: false } },
    async load() {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return ({ apiKey = "", baseURL, fetch }, name) => createOpenAI({ apiKey, baseURL, fetch }).responses(name);
    },
  },
  google: {
    keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    needsKey: true,
    url: "https://generativelanguage.googleapis.com/v1beta",
    metadataKey: "google",
    optionsKey: "google",
    takesReasoning: () => true,
    files: { user: anyMedia, result: anyMedia, assistant: anyMedia },
    takesProviderCalls: false,
    marksCache: false,
    async load() {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return ({ apiKey = "", baseURL, fetch }, name) => createGoogleGenerativeAI({ apiKey, baseURL, fetch })(name);
    },
  },
  "openai-compatible": {
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    needsKey: false,
    metadataKey: "compatible",
    // The package looks for a thought signature here, whatever the provider's name; "openaiCompatible" would go into the body.
    optionsKey: "google",
    takesReasoning: () => true,
    files: { user: pictureOrPdf, result: undefined, assistant: undefined },
    takesProviderCalls: false,
    marksCache: false,
    renamesRepeatedIds: true,
    async load() {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return ({ apiKey, baseURL, fetch }, name) =>
        createOpenAICompatible({
          name: "compatible",
          baseURL,
          fetch,
          includeUsage: true,
          ...(apiKey === undefined ? {} : { apiKey }),
        }).chatModel(name);
    },
  },
} as const satisfies Readonly<Record<string, Provider>>;

export type ProviderName = keyof typeof PROVIDERS;
