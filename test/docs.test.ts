/** Holds the pages for people against the code; `npx vitest run test/docs.test.ts -u` writes the generated ones. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import type { Operation } from "../src/core/operation.ts";
import { standardPipeline } from "../src/operations/pipeline.ts";
import { parseFakeModelScript } from "../src/testing/index.ts";
import { createBuiltinTools } from "../src/tools/builtin-tools.ts";

const pipeline = standardPipeline({
  models: () => Promise.reject(new Error("no model is asked")),
  instructions: "",
  tools: { tools: () => Promise.resolve([]) },
  artifacts: { write: () => undefined, read: () => undefined },
  processes: { isRunning: () => false, end: () => Promise.resolve(true) },
  skills: {
    list: () => Promise.resolve([]),
    problems: () => Promise.resolve([]),
    load: () => Promise.resolve(undefined),
  },
  stopHooks: [],
});

test("docs/pipeline.md lists the standard pipeline as it is", async () => {
  await expect(page(pipeline.operations)).toMatchFileSnapshot("../docs/pipeline.md");
});

test("the scripts for the fake model in README.md and docs/ call built-in tools as they want to be called", async () => {
  const root = join(import.meta.dirname, "..");
  const pages = ["README.md", ...(await readdir(join(root, "docs"))).map((name) => join("docs", name))];
  const tools = new Map((await createBuiltinTools().tools(root)).map((tool) => [tool.spec.name, tool]));
  const calls: string[] = [];
  for (const name of pages.filter((path) => path.endsWith(".md"))) {
    const text = await readFile(join(root, name), "utf8");
    for (const [script] of text.matchAll(/^\{$[^]*?^\}$/gm)) {
      if (!script.includes('"rules"')) continue;
      const { rules } = parseFakeModelScript(JSON.parse(script));
      for (const piece of rules.flatMap(({ reply }) => (reply.type === "message" ? reply.content : []))) {
        if (piece.type !== "call" || piece.input === undefined) continue;
        const checked = tools.get(piece.name)?.check(piece.input as JsonObject);
        calls.push(`${name}: ${piece.name} ${checked?.ok === true ? "fits" : (checked?.problem ?? "is no tool")}`);
      }
    }
  }
  expect(calls.toSorted()).toEqual([
    "README.md: write fits",
    "docs/fake-model.md: edit fits",
    "docs/fake-model.md: read fits",
  ]);
});

function page(operations: readonly Operation[]): string {
  const rows = operations.map((operation) =>
    row([
      operation.name,
      listed(operation.reads),
      listed(operation.writes),
      listed([
        ...operation.hears.map((kind) => `hears ${kind}`),
        ...operation.commands.map(({ name }) => `owns /${name}`),
      ]),
      operation.durability,
    ]),
  );
  return [
    "# The standard pipeline",
    "",
    "Generated from `src/operations/pipeline.ts`. The first operation that claims the session acts.",
    "",
    row(["operation", "reads", "writes", "besides", "durability"]),
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const listed = (words: readonly string[]): string => words.join(", ");
