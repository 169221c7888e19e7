/** The tiny project of the demo: one function with a bug, and the test that shows it. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The one task that the demo model plays. */
export const DEMO_PROMPT = "The tests of this project fail. Find the bug, fix it, and show that the tests pass.";

export const DEMO_SOURCE = "src/price.js";
export const DEMO_TEST = "test/price.test.js";
export const DEMO_BUG = "pieces > 10";
export const DEMO_FIX = "pieces >= 10";

const FILES: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "price", private: true, type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
  [DEMO_SOURCE]: `/** The price of an order in cents. From 10 pieces on there is a discount of 10 %. */
export function price(pieces, centsEach) {
  const total = pieces * centsEach;
  return ${DEMO_BUG} ? Math.round(total * 0.9) : total;
}
`,
  [DEMO_TEST]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { price } from "../src/price.js";

test("nine pieces cost nine times as much as one", () => {
  assert.equal(price(9, 100), 900);
});

test("ten pieces get the discount", () => {
  assert.equal(price(10, 100), 900);
});
`,
};

/** Writes the project into a folder, which is made if need be; files of the same names are written anew. */
export async function prepareDemoWorkspace(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
