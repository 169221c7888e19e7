/** What is particular to Anthropic: signatures, cache marks, calls that it runs itself. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  call as fakeCall,
  reasoning,
  text,
  webSearch,
  startFakeModel,
  type FakeModel,
} from "../../src/testing/index.ts";
import {
  asMessage,
  bodyOf,
  ask,
  assistant,
  call,
  finishOf,
  model,
  READ,
  request,
  results,
  textOf,
  user,
} from "./ask.ts";

let fake: FakeModel;
beforeEach(async () => {
  fake = await startFakeModel();
});
afterEach(() => fake.close());

const open = (id: string) => model(id, { baseUrl: fake.url });

test("thinking comes back with its signature, redacted thinking as it was, and text and calls in their order", async () => {
  fake
    .on("think")
    .says([reasoning("step by step"), reasoning("", { redacted: true }), text("so"), fakeCall("read", { path: "a" })]);
  fake.on("contents").replies("done");
  const asked = await open("anthropic/claude-opus-4-5");
  const prompt = user("think");
  const reply = asMessage(await ask(asked, request([prompt], { tools: [READ] })));
  expect(reply.content.map((part) => part.type)).toEqual(["reasoning", "reasoning", "text", "call"]);
  const next = [prompt, reply, results(["call-1", "read", { type: "text", text: "contents" }])];
  expect(textOf(await ask(asked, request(next, { tools: [READ] })))).toBe("done");
  expect(bodyOf<{ messages: { content: unknown[] }[] }>(fake.requests[1]).messages[1]?.content).toMatchObject([
    { type: "thinking", thinking: "step by step", signature: expect.any(String) as string },
    { type: "redacted_thinking", data: expect.any(String) as string },
    { type: "text", text: "so" },
    { type: "tool_use", id: "call-1", name: "read", input: { path: "a" } },
  ]);
  fake.assertNothingLeft();
});

test("reasoning of another provider, or without a signature, is left out; text and calls stay", async () => {
  fake.otherwise().replies("ok");
  const foreign = { provider: "openai", data: { itemId: "rs_1", reasoningEncryptedContent: "x", signature: "y" } };
  await ask(
    await open("anthropic/claude-opus-4-5"),
    request([
      user("go"),
      assistant(
        { type: "reasoning", text: "foreign", metadata: foreign },
        { type: "reasoning", text: "unsigned", metadata: { provider: "anthropic", data: {} } },
        { type: "reasoning", text: "unknown" },
        { type: "text", text: "kept", metadata: foreign },
        { ...call("c1", "read", {}), metadata: foreign },
      ),
      results(["c1", "read", { type: "text", text: "x" }]),
      assistant({ type: "reasoning", text: "alone", metadata: { provider: "anthropic", data: { signature: "s" } } }),
    ]),
  );
  expect(fake.requests[0]?.rawBody).not.toMatch(/foreign|unsigned|unknown|alone|rs_1/);
  expect(fake.requests[0]?.rawBody).toContain("kept");
  fake.assertClean();
});

test("system prompt, tools and the ends of this and the last conversation are marked for the cache, not the reminder", async () => {
  fake.otherwise().replies("ok");
  const conversation = [
    user("go"),
    assistant(call("c1", "read", {})),
    results(["c1", "read", { type: "text", text: "x" }]),
  ];
  await ask(
    await open("anthropic/claude-opus-4-5"),
    request(conversation, { tools: [READ, { ...READ, name: "list" }], attention: ["soon"] }),
  );
  const mark = { cache_control: { type: "ephemeral" } };
  const body = bodyOf<{ system: unknown[]; tools: object[]; messages: { content: object[] }[] }>(fake.requests[0]);
  expect(body.system).toMatchObject([mark]);
  expect(body.tools.map((tool) => "cache_control" in tool)).toEqual([false, true]);
  expect(body.messages[0]?.content).toMatchObject([mark]);
  expect(body.messages[2]?.content.map((block) => "cache_control" in block)).toEqual([true, false]);
  fake.assertClean();
});

test("a search that the provider ran is reported as its own and sent back as it was", async () => {
  fake.on("look").says([webSearch("dacapo", [{ url: "https://example.org", title: "Fine" }]), text("found")]);
  fake.on("more").replies("done");
  const asked = await open("anthropic/claude-opus-4-5");
  const parts = await ask(asked, request([user("look")]));
  expect(parts.filter((part) => part.type === "call" || part.type === "call-delta")).toEqual([]);
  const [ran] = parts.filter((part) => part.type === "provider-call");
  expect(ran).toMatchObject({ tool: "web_search", args: { query: "dacapo" }, metadata: { provider: "anthropic" } });
  await ask(asked, request([user("look"), asMessage(parts), user("more")]));
  expect(
    bodyOf<{ messages: { content: { type: string }[] }[] }>(fake.requests[1]).messages[1]?.content.map(
      (block) => block.type,
    ),
  ).toEqual(["server_tool_use", "web_search_tool_result", "text"]);
  fake.assertNothingLeft();
});

test("what another provider ran, or what has no result, is not sent", async () => {
  fake.otherwise().replies("ok");
  const ran = { type: "provider-call", providerId: "ws_1", tool: "web_search", args: {} } as const;
  await ask(
    await open("anthropic/claude-opus-4-5"),
    request([
      user("go"),
      assistant(
        { ...ran, result: [], metadata: { provider: "openai", data: {} } },
        { ...ran, metadata: { provider: "anthropic", data: {} } },
        { type: "text", text: "kept" },
      ),
      user("on"),
    ]),
  );
  expect(fake.requests[0]?.rawBody).not.toContain("ws_1");
  fake.assertClean();
});

test("pictures and documents of a user and of a tool are shown; other files are named or read out", async () => {
  fake.otherwise().replies("ok");
  const png = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
  const csv = { type: "file", mediaType: "text/csv", data: Buffer.from("a,b").toString("base64") } as const;
  const zip = { type: "file", mediaType: "application/zip", data: "UEsDBA==" } as const;
  await ask(
    await open("anthropic/claude-opus-4-5"),
    request([
      { role: "user", content: [png, csv, zip] },
      assistant({ type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" }, call("c1", "read", {})),
      results(["c1", "read", { type: "text", text: "here" }, png, zip]),
    ]),
  );
  const { messages } = bodyOf<{
    messages: { content: { type: string; text?: string; content?: { type: string }[] }[] }[];
  }>(fake.requests[0]);
  expect(messages[0]?.content.map((block) => block.text ?? block.type)).toEqual([
    "image",
    "[file of type text/csv]\na,b",
    "[file of type application/zip, 4 bytes: this model cannot be shown it]",
  ]);
  expect(messages[2]?.content[0]?.content?.map((block) => block.type)).toEqual(["text", "image"]);
  fake.assertClean();
});

test("tokens written to the cache are counted and paid for", async () => {
  fake
    .on("hello")
    .replies("hi", { usage: { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 } });
  const { usage } = finishOf(await ask(await open("anthropic/claude-opus-4-5-20251101")));
  expect(usage).toEqual({
    inputTokens: 3_000_000,
    outputTokens: 1_000_000,
    cachedInputTokens: 1_000_000,
    cacheWriteTokens: 1_000_000,
    cost: 36.75,
  });
});

test("a turn that the provider paused is not a finished one", async () => {
  fake.on("hello").replies("wait", { stop: "pause" });
  expect(finishOf(await ask(await open("anthropic/claude-opus-4-5"))).reason).toBe("paused");
});
