/** Prices and windows. */
import { expect, test } from "vitest";
import { createCatalogue } from "../../src/models/catalogue.ts";
import { PRICES, PRICES_AS_OF } from "../../src/models/prices.ts";

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000, cachedInputTokens: 0, cacheWriteTokens: 0 };
const usage = (fields: Partial<typeof million>) => ({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  ...fields,
});

test("cached and written tokens are part of the input and have prices of their own", () => {
  const { costOf } = createCatalogue();
  expect(
    costOf(
      "anthropic/claude-opus-4-5",
      usage({ inputTokens: 1000, cachedInputTokens: 600, cacheWriteTokens: 300, outputTokens: 50 }),
    ),
  ).toBeCloseTo((100 * 5 + 600 * 0.5 + 300 * 6.25 + 50 * 25) / 1e6);
});

test("an unknown model, and a price that is unknown but needed, cost null and not zero", () => {
  const { costOf, contextWindow } = createCatalogue();
  expect(costOf("openai-compatible/llama", million)).toBeNull();
  expect(costOf("anthropic/claude-next", million)).toBeNull();
  expect(contextWindow("anthropic/claude-next")).toBeUndefined();
  expect(costOf("openai/gpt-5", usage({ inputTokens: 10, cacheWriteTokens: 5 }))).toBeNull();
  expect(costOf("openai/gpt-5.5", usage({ inputTokens: 272_001 }))).toBeNull();
});

test("a long request is billed at the long price as a whole", () => {
  const { costOf } = createCatalogue();
  expect(costOf("anthropic/claude-haiku-5-5", usage({ inputTokens: 100_000 }))).toBeCloseTo(0.01);
  expect(costOf("anthropic/claude-haiku-5-5", usage({ inputTokens: 200_000, outputTokens: 1000 }))).toBeCloseTo(0.1025);
});

test("dated and latest names are found under the plain one", () => {
  const { contextWindow } = createCatalogue();
  for (const id of ["anthropic/claude-sonnet-4-5-20250929", "openai/gpt-4o-2024-08-06", "openai/gpt-4o-latest"]) {
    expect(contextWindow(id)).toBeGreaterThan(100_000);
  }
});

test("an own entry is used in place of the built-in one", () => {
  const catalogue = createCatalogue({
    "openai-compatible/llama": { input: 1, output: 2, contextWindow: 8192 },
    "openai/gpt-5": { input: 0, output: 0, contextWindow: 1 },
  });
  expect(catalogue.costOf("openai-compatible/llama", million)).toBe(3);
  expect(catalogue.costOf("openai/gpt-5", million)).toBe(0);
  expect(catalogue.contextWindow("openai/gpt-5")).toBe(1);
});

test("the demo is free", () => {
  expect(createCatalogue().costOf("demo/price", million)).toBe(0);
});

test("the table is dated, and no cached token costs more than a fresh one", () => {
  expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  for (const [id, { input, cacheRead, cacheWrite = input }] of Object.entries(PRICES)) {
    expect(cacheRead, id).toBeLessThan(input);
    expect(cacheWrite, id).toBeGreaterThanOrEqual(input);
  }
});
