/** Holds the example of docs/testing.md to the test that runs it. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("the example of docs/testing.md is a test that runs", async () => {
  const [page, code] = await Promise.all([
    readFile(new URL("../../docs/testing.md", import.meta.url), "utf8"),
    readFile(new URL("story-example.test.ts", import.meta.url), "utf8"),
  ]);
  const example = /<!-- example -->\n```ts\n([\s\S]*?)```/.exec(page)?.[1];
  const [, ...lines] = code.replaceAll('"../../src/index.ts"', '"dacapo"').split("\n");
  expect(example).toBe(lines.join("\n"));
});
