/** What the well-known models cost and hold: data only, dated, to be overridden where it has aged. */

/** USD per million tokens. A price that is absent is unknown, not zero. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** For an entry that lives five minutes, where the provider has a choice. */
  readonly cacheWrite?: number;
}

export interface CatalogueEntry extends Prices {
  /** In tokens, input and output together; absent where it is unknown. */
  readonly contextWindow?: number;
  /** Requests whose input exceeds `over` tokens are billed at other prices throughout; absent ones are unknown. */
  readonly long?: { readonly over: number; readonly prices?: Prices };
}

/**
 * The day for which the table holds. Anthropic: platform.claude.com, pages "Pricing" and "Models". OpenAI:
 * developers.openai.com, "Pricing", as transcribed by others in September to November 2026; the gpt-5.2 and older rows as
 * known at the end of 2025. Google: ai.google.dev, "Gemini Developer API pricing", as transcribed in October 2026; the 3-pro,
 * 3-flash and 2.5 rows as known at the end of 2025. A model that is missing has an unknown price, never a guessed one.
 */
export const PRICES_AS_OF = "2026-11-05";

const opusTo5 = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const sonnet4 = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const opus4 = { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75, contextWindow: 200_000 };
const gpt5 = { input: 1.25, output: 10, cacheRead: 0.125, contextWindow: 400_000 };
const longGpt = { over: 272_000 };
const gemini3Pro = {
  input: 2,
  output: 12,
  cacheRead: 0.2,
  contextWindow: 1_048_576,
  long: { over: 200_000, prices: { input: 4, output: 18, cacheRead: 0.4 } },
};

export const PRICES: Readonly<Record<string, CatalogueEntry>> = {
  "anthropic/claude-fable-5-1": { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5, contextWindow: 1_000_000 },
  "anthropic/claude-fable-5": { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, contextWindow: 1_000_000 },
  "anthropic/claude-opus-5-5": { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, contextWindow: 1_000_000 },
  "anthropic/claude-opus-5": { ...opusTo5, contextWindow: 1_000_000 },
  "anthropic/claude-opus-4-8": { ...opusTo5, contextWindow: 1_000_000 },
  "anthropic/claude-opus-4-7": { ...opusTo5, contextWindow: 1_000_000 },
  "anthropic/claude-opus-4-6": { ...opusTo5, contextWindow: 1_000_000 },
  "anthropic/claude-opus-4-5": { ...opusTo5, contextWindow: 200_000 },
  "anthropic/claude-opus-4-1": opus4,
  "anthropic/claude-opus-4-0": opus4,
  "anthropic/claude-opus-4": opus4,
  "anthropic/claude-sonnet-5-5": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, contextWindow: 1_000_000 },
  "anthropic/claude-sonnet-5": { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, contextWindow: 1_000_000 },
  "anthropic/claude-sonnet-4-6": sonnet4,
  "anthropic/claude-sonnet-4-5": { ...sonnet4, contextWindow: 200_000 },
  "anthropic/claude-sonnet-4-0": { ...sonnet4, contextWindow: 200_000 },
  "anthropic/claude-sonnet-4": { ...sonnet4, contextWindow: 200_000 },
  "anthropic/claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    contextWindow: 1_000_000,
    long: { over: 100_000, prices: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 } },
  },
  "anthropic/claude-haiku-4-5": { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, contextWindow: 200_000 },

  "openai/gpt-6-astra": {
    input: 10,
    output: 50,
    cacheRead: 1,
    cacheWrite: 12.5,
    contextWindow: 1_050_000,
    long: { over: 272_000, prices: { input: 20, output: 75, cacheRead: 2, cacheWrite: 25 } },
  },
  "openai/gpt-6.1-sol": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, long: longGpt },
  "openai/gpt-6.1-terra": { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25, long: longGpt },
  "openai/gpt-6-sol": { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, long: longGpt },
  "openai/gpt-6-luna": { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, long: longGpt },
  "openai/gpt-5.5": { input: 5, output: 30, cacheRead: 0.5, long: longGpt },
  "openai/gpt-5.4": { input: 2.5, output: 15, cacheRead: 0.25, long: longGpt },
  "openai/gpt-5.4-mini": { input: 0.75, output: 4.5, cacheRead: 0.075 },
  "openai/gpt-5.2": { input: 1.75, output: 14, cacheRead: 0.175, contextWindow: 400_000 },
  "openai/gpt-5.1": gpt5,
  "openai/gpt-5.1-codex": gpt5,
  "openai/gpt-5": gpt5,
  "openai/gpt-5-codex": gpt5,
  "openai/gpt-5-mini": { input: 0.25, output: 2, cacheRead: 0.025, contextWindow: 400_000 },
  "openai/gpt-5-nano": { input: 0.05, output: 0.4, cacheRead: 0.005, contextWindow: 400_000 },
  "openai/gpt-4.1": { input: 2, output: 8, cacheRead: 0.5, contextWindow: 1_047_576 },
  "openai/gpt-4.1-mini": { input: 0.4, output: 1.6, cacheRead: 0.1, contextWindow: 1_047_576 },
  "openai/gpt-4.1-nano": { input: 0.1, output: 0.4, cacheRead: 0.025, contextWindow: 1_047_576 },
  "openai/gpt-4o": { input: 2.5, output: 10, cacheRead: 1.25, contextWindow: 128_000 },
  "openai/gpt-4o-mini": { input: 0.15, output: 0.6, cacheRead: 0.075, contextWindow: 128_000 },
  "openai/o3": { input: 2, output: 8, cacheRead: 0.5, contextWindow: 200_000 },
  "openai/o4-mini": { input: 1.1, output: 4.4, cacheRead: 0.275, contextWindow: 200_000 },

  // From 2026-12-01; half of that before.
  "google/gemini-4-argon": { input: 4, output: 20, cacheRead: 0.2, contextWindow: 1_000_000 },
  // Half price until 2026-12-31, then 1.5 and 7.5.
  "google/gemini-3.8-flash": { input: 0.75, output: 3.75, cacheRead: 0.075, contextWindow: 1_048_576 },
  "google/gemini-3.1-pro-preview": gemini3Pro,
  "google/gemini-3-pro-preview": gemini3Pro,
  "google/gemini-3-flash-preview": { input: 0.5, output: 3, cacheRead: 0.05, contextWindow: 1_048_576 },
  "google/gemini-2.5-pro": {
    input: 1.25,
    output: 10,
    cacheRead: 0.125,
    contextWindow: 1_048_576,
    long: { over: 200_000, prices: { input: 2.5, output: 15, cacheRead: 0.25 } },
  },
  "google/gemini-2.5-flash": { input: 0.3, output: 2.5, cacheRead: 0.03, contextWindow: 1_048_576 },
  "google/gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cacheRead: 0.01, contextWindow: 1_048_576 },
};
