/** The demo model, played against the real tools in a real folder. */
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { ModelMessage, ToolContent } from "../../src/core/model.ts";
import type { HostedTool, ToolContext } from "../../src/core/tool.ts";
import { DEMO_PROMPT, DEMO_SOURCE, prepareDemoWorkspace } from "../../src/models/demo/workspace.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { asMessage, ask, assistant, finishOf, model, request, textOf, user } from "./ask.ts";

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), "dacapo-demo-"));
  await prepareDemoWorkspace(workspace);
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

type Answer = Pick<ToolContent, "isError" | "content">;
/** Answers a call in place of its tool, or leaves it to the tool. */
type Meddle = (tool: string, nth: number) => Answer | undefined;

function refusal(text: string): Answer {
  return { isError: true, content: [{ type: "text", text }] };
}

async function execute(tools: readonly HostedTool[], name: string, args: JsonObject): Promise<Answer> {
  let written = "";
  const context: ToolContext = {
    callId: "call-1" as never,
    idempotencyKey: "key",
    workspace,
    signal: new AbortController().signal,
    collector: () => ({ write: (text) => (written += text), finish: () => ({ text: written }) }),
    progress: () => {},
    spawned: async () => {},
    readArtifact: () => undefined,
  };
  const { content, errorKind } = await (tools.find((tool) => tool.spec.name === name) as HostedTool).execute(
    args,
    context,
  );
  return { isError: errorKind !== undefined, content };
}

interface Played {
  /** One line for each call, and what was said last. */
  readonly calls: string[];
  readonly answer: string;
  readonly messages: ModelMessage[];
}

/** A small agent: asks, runs the calls, asks again. Every request goes to a new model, for it remembers nothing. */
async function play(
  meddle: Meddle = () => undefined,
  offered?: readonly string[],
  prompt = DEMO_PROMPT,
): Promise<Played> {
  const tools = await createBuiltinTools({ environment: { PATH: process.env["PATH"] } }).tools(workspace);
  const specs = tools.map(({ spec }) => spec).filter(({ name }) => offered === undefined || offered.includes(name));
  const messages: ModelMessage[] = [user(prompt)];
  const calls: string[] = [];
  for (let round = 0; round < 20; round++) {
    const parts = await ask(await model("demo"), request(messages, { tools: specs }));
    const end = finishOf(parts);
    expect(end.usage?.cost).toBe(0);
    const reply = asMessage(parts);
    // Ids are the caller's: unique in the whole conversation.
    const content = reply.content.map((part) =>
      part.type === "call" ? { ...part, callId: `${round}-${part.callId}` as never } : part,
    );
    messages.push(assistant(...content));
    if (end.reason === "stop") return { calls, answer: textOf(parts), messages };
    const results: ToolContent[] = [];
    for (const part of content) {
      if (part.type !== "call") continue;
      const nth = calls.filter((line) => line.startsWith(part.tool)).length + 1;
      const { callId, tool, args } = part;
      const outcome = meddle(tool, nth) ?? (await execute(tools, tool, args));
      calls.push(`${tool} ${JSON.stringify(Object.values(args)).slice(1, -1)} ${outcome.isError ? "✗" : "✓"}`);
      results.push({ callId, tool, ...outcome });
    }
    messages.push({ role: "tool", content: results });
  }
  throw new Error("the demo did not end");
}

test("it finds the bug, repairs it and shows that the tests pass", async () => {
  const { calls, answer } = await play();
  expect(calls).toMatchInlineSnapshot(`
    [
      "list  ✓",
      "read "src/price.js" ✓",
      "read "test/price.test.js" ✓",
      "bash "node --test" ✗",
      "edit "src/price.js","pieces > 10","pieces >= 10" ✓",
      "bash "node --test" ✓",
    ]
  `);
  expect(answer).toContain("All tests pass now.");
  expect(await readFile(join(workspace, DEMO_SOURCE), "utf8")).toContain("pieces >= 10");
});

test("it thinks aloud and speaks in small pieces", async () => {
  const parts = await ask(
    await model("demo"),
    request([user(DEMO_PROMPT)], { tools: [{ name: "list", description: "", inputSchema: {} }] }),
  );
  expect(parts.map((part) => part.type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    "reasoning-delta",
    "text-delta",
    "call-delta",
    "call",
    "finish",
  ]);
  expect(parts.filter((part) => part.type === "text-delta").length).toBeGreaterThan(3);
});

test("a denied call ends it with the person's own words", async () => {
  const { answer, calls } = await play((tool) =>
    tool === "edit" ? refusal("Denied by the user: not in my house") : undefined,
  );
  expect(answer).toContain("`edit` of `src/price.js` did not work: Denied by the user: not in my house");
  expect(calls.at(-1)).toMatch(/^edit/);
});

test("a command that may not run ends it too", async () => {
  expect((await play((tool) => (tool === "bash" ? refusal("Denied.") : undefined))).answer).toContain(
    "`bash` did not work: Denied.",
  );
});

test("a project that is repaired already is left alone", async () => {
  const file = join(workspace, DEMO_SOURCE);
  await writeFile(file, (await readFile(file, "utf8")).replace("> 10", ">= 10"));
  const { answer, calls } = await play();
  expect(answer).toContain("The tests already pass (0 failing): there is nothing to repair.");
  expect(calls.some((line) => line.startsWith("edit"))).toBe(false);
});

test("a project that fails for another reason is left alone", async () => {
  await writeFile(join(workspace, DEMO_SOURCE), "export const price = () => 0;\n");
  expect((await play()).answer).toContain("not because of the bug that this demo knows");
});

test("an interrupted test run is repeated, and an interrupted edit is looked up in the file first", async () => {
  const { answer, calls } = await play((tool, nth) =>
    nth === 1 && (tool === "bash" || tool === "edit")
      ? refusal("Interrupted: it may or may not have happened.")
      : undefined,
  );
  expect(calls).toMatchInlineSnapshot(`
    [
      "list  ✓",
      "read "src/price.js" ✓",
      "read "test/price.test.js" ✓",
      "bash "node --test" ✗",
      "bash "node --test" ✗",
      "edit "src/price.js","pieces > 10","pieces >= 10" ✗",
      "read "src/price.js" ✓",
      "edit "src/price.js","pieces > 10","pieces >= 10" ✓",
      "bash "node --test" ✓",
    ]
  `);
  expect(answer).toContain("All tests pass now.");
});

test("an edit that was interrupted after it happened is not made twice", async () => {
  const file = join(workspace, DEMO_SOURCE);
  const before = await readFile(file, "utf8");
  const { calls, answer } = await play((tool) => {
    if (tool !== "edit") return undefined;
    writeFileSync(file, before.replace("> 10", ">= 10"));
    return refusal("Interrupted: it may or may not have happened.");
  });
  expect(calls.filter((line) => line.startsWith("edit"))).toHaveLength(1);
  expect(answer).toContain("All tests pass now.");
});

test("interruptions without end end it", async () => {
  expect((await play((tool) => (tool === "bash" ? refusal("Interrupted.") : undefined))).answer).toContain(
    "interrupted too often",
  );
});

test("a tool that is not offered is not called", async () => {
  expect((await play(undefined, ["list", "read", "bash"])).answer).toContain(
    "I would now use the tool `edit`, but it is not offered",
  );
});

test("any other prompt, also after the task, gets an honest answer that names the real models", async () => {
  const { answer, calls } = await play(undefined, undefined, "Write me a poem.");
  expect(calls).toEqual([]);
  expect(answer).toMatch(/built-in demo.*--model anthropic\/NAME/s);
  const { messages } = await play();
  const after = await ask(await model("demo"), request([...messages, user("And now?")]));
  expect(textOf(after)).toBe(answer);
});

test("a remark in the middle of the task does not end it", async () => {
  const { messages } = await play();
  const [prompt, first, listed] = messages as [ModelMessage, ModelMessage, ModelMessage];
  const parts = await ask(
    await model("demo"),
    request([prompt, first, listed, user("Be quick.")], {
      tools: [{ name: "read", description: "", inputSchema: {} }],
    }),
  );
  expect(finishOf(parts).reason).toBe("calls");
});

test("an abort stops it in mid-sentence", async () => {
  const controller = new AbortController();
  const types: string[] = [];
  for await (const part of (await model("demo")).stream(request([user("hi")]), controller.signal)) {
    types.push(part.type);
    controller.abort();
  }
  expect(types).toEqual(["text-delta"]);
});
