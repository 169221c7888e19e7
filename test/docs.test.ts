/** Holds the generated pages of docs/ against the code: `npx vitest run test/docs.test.ts -u` writes them. */
import { expect, test } from "vitest";
import type { Operation } from "../src/core/operation.ts";
import { standardPipeline } from "../src/operations/pipeline.ts";

const pipeline = standardPipeline({
  models: () => Promise.reject(new Error("no model is asked")),
  instructions: "",
  tools: { tools: () => Promise.resolve([]) },
  artifacts: { write: () => undefined, read: () => undefined },
  processes: { isRunning: () => false },
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
