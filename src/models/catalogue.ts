/** Answers what a model holds and costs, from the dated table and what its owner knows better. */
import type { ModelUsage } from "../core/model.ts";
import { PRICES, type CatalogueEntry, type Prices } from "./prices.ts";

/** By `provider/name`; an entry replaces the built-in one whole. */
export type CatalogueOverrides = Readonly<Record<string, CatalogueEntry>>;

export interface Catalogue {
  /** In tokens; undefined where it is unknown. */
  readonly contextWindow: (id: string) => number | undefined;
  /** In USD; null where a price that the usage needs is unknown. */
  readonly costOf: (id: string, usage: Omit<ModelUsage, "cost">) => number | null;
}

/** Dated names (`claude-x-20250929`, `gpt-x-2025-08-07`) and `-latest` are found under the plain name. */
export function createCatalogue(overrides: CatalogueOverrides = {}): Catalogue {
  const entries = new Map<string, CatalogueEntry>([...Object.entries(PRICES), ...Object.entries(overrides)]);
  const entryOf = (id: string) => entries.get(id) ?? entries.get(id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, ""));
  return {
    contextWindow: (id) => entryOf(id)?.contextWindow,
    costOf: (id, usage) => {
      if (id.startsWith("demo/")) return 0;
      const prices = pricesFor(entryOf(id), usage.inputTokens);
      return prices === undefined ? null : costAt(prices, usage);
    },
  };
}

function pricesFor(entry: CatalogueEntry | undefined, inputTokens: number): Prices | undefined {
  return entry?.long !== undefined && inputTokens > entry.long.over ? entry.long.prices : entry;
}

function costAt(prices: Prices, usage: Omit<ModelUsage, "cost">): number | null {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  const billed: readonly (readonly [tokens: number, price: number | undefined])[] = [
    [Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens), prices.input],
    [outputTokens, prices.output],
    [cachedInputTokens, prices.cacheRead],
    [cacheWriteTokens, prices.cacheWrite],
  ];
  let millionths = 0;
  for (const [tokens, price] of billed) {
    if (tokens === 0) continue;
    if (price === undefined) return null;
    millionths += tokens * price;
  }
  return millionths / 1_000_000;
}
