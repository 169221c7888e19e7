/** What Anthropic would refuse is refused. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, reasoning, startFakeModel, text, webSearch, type FakeModel } from "../../src/testing/index.ts";
import { charge, client, hear, post, user, type Tools } from "./fake-model-client.ts";

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

test("a signature comes back to Anthropic unchanged or not at all", async () => {
  const thinking = {
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
    tools: charge,
  };
  const answered = (signature: string, thought: string): LanguageModelV3Prompt => [
    user("hello"),
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: thought, providerOptions: { anthropic: { signature } } },
        { type: "tool-call", toolCallId: "toolu_0001", toolName: "charge", input: {} },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "toolu_0001",
          toolName: "charge",
          output: { type: "text", value: "paid" },
        },
      ],
    },
  ];
  model.on("hello").says([reasoning("Think"), call("charge")]);
  model.on("paid").replies("Done.");
  await hear(model, "anthropic", thinking);
  expect(await hear(model, "anthropic", { prompt: answered("invented", "Think"), ...thinking })).toEqual([
    expect.stringContaining("Invalid `signature`"),
  ]);
  expect(await hear(model, "anthropic", { prompt: answered("signature_0001", "Thought"), ...thinking })).toEqual([
    expect.stringContaining("was changed"),
  ]);
  expect(model.refusals).toHaveLength(2);
  expect(
    (await hear(model, "anthropic", { prompt: answered("signature_0001", "Think"), ...thinking })).at(-1),
  ).toContain("finish stop");
  expect(() => model.assertClean()).toThrow("refused (anthropic): messages.1.content.0: Invalid `signature`");
});

test("redacted thinking and a search of the provider may come back as they were given", async () => {
  const results = [{ url: "https://a.example", title: "A" }];
  model.on("hello").says([reasoning("secret", { redacted: true }), webSearch("weather", results), text("Sun.")]);
  model.on("sure?").replies("Yes.");
  const tools: Tools = [{ type: "provider", id: "anthropic.web_search_20250305", name: "web_search", args: {} }];
  const { content } = await client(model.url, "anthropic").doGenerate({ prompt: [user("hello")], tools });
  const answer = content.flatMap((part): AssistantContent => {
    if (part.type === "text") return [part];
    if (part.type === "reasoning") return [{ ...part, providerOptions: part.providerMetadata ?? {} }];
    if (part.type === "tool-call") return [{ ...part, input: JSON.parse(part.input) }];
    return part.type === "tool-result" ? [{ ...part, output: { type: "json", value: part.result } }] : [];
  });
  await hear(model, "anthropic", {
    tools,
    prompt: [user("hello"), { role: "assistant", content: answer }, user("sure?")],
  });
  expect(model.requests[1]?.body).toMatchObject({
    messages: [
      { role: "user" },
      { content: ["redacted_thinking", "server_tool_use", "web_search_tool_result", "text"].map((type) => ({ type })) },
      { role: "user" },
    ],
  });
  model.assertNothingLeft();
});

type AssistantContent = Extract<LanguageModelV3Prompt[number], { role: "assistant" }>["content"];

const use = (id: string) => ({ type: "tool_use", id, name: "charge", input: {} });
const result = (id: string, fields = {}) => ({ type: "tool_result", tool_use_id: id, content: "paid", ...fields });
const asked = { role: "user", content: "hello" };
const called = { role: "assistant", content: [use("a"), use("b")] };
const tool = (name: string, schema: object = { type: "object" }) => ({ name, input_schema: schema });
const anthropic = (messages: object[], fields: object = {}) => ({
  model: "m",
  max_tokens: 2000,
  messages,
  ...fields,
});

test.each<[string, object, string]>([
  ["without max_tokens", { model: "m", messages: [asked] }, "max_tokens"],
  ["without a message", anthropic([]), "at least one message"],
  [
    "with a first message of the assistant",
    anthropic([{ role: "assistant", content: "hi" }]),
    "first message must use",
  ],
  ["with an unknown role", anthropic([{ role: "system", content: "hi" }]), "messages.0.role"],
  ["with an unknown block", anthropic([{ role: "user", content: [{ type: "poem" }] }]), "messages.0.content"],
  [
    "with a call that has no result",
    anthropic([asked, called, { role: "user", content: [result("a")] }]),
    "without `tool_result` blocks immediately after: b",
  ],
  ["with a call at its end", anthropic([asked, called]), "immediately after: a, b"],
  ["with a result that has no call", anthropic([{ role: "user", content: [result("x")] }]), "unexpected `tool_use_id`"],
  [
    "with two results for a call",
    anthropic([asked, called, { role: "user", content: [result("a"), result("a"), result("b")] }]),
    "must have a single result",
  ],
  [
    "with text before results",
    anthropic([asked, called, { role: "user", content: [{ type: "text", text: "so" }, result("a"), result("b")] }]),
    "must come first",
  ],
  [
    "with a call id used twice",
    anthropic([asked, { role: "assistant", content: [use("a"), use("a")] }, { role: "user", content: [result("a")] }]),
    "must be unique",
  ],
  [
    "with a bad call id",
    anthropic([asked, { role: "assistant", content: [use("a b")] }, { role: "user", content: [result("a b")] }]),
    "should match pattern",
  ],
  [
    "with a long call id",
    anthropic([
      asked,
      { role: "assistant", content: [use("a".repeat(65))] },
      { role: "user", content: [result("a".repeat(65))] },
    ]),
    "at most 64",
  ],
  ["with an empty message", anthropic([{ role: "user", content: "" }]), "non-empty content"],
  ["with an empty text", anthropic([{ role: "user", content: [{ type: "text", text: "" }] }]), "must be non-empty"],
  ["with an empty system text", anthropic([asked], { system: [{ type: "text", text: "" }] }), "system.0: text"],
  ["with a blank text", anthropic([{ role: "user", content: [{ type: "text", text: " \n" }] }]), "non-whitespace"],
  [
    "with an empty error result",
    anthropic([
      asked,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a", { content: "", is_error: true })] },
    ]),
    "cannot be empty if `is_error`",
  ],
  [
    "with a prefill ending in a space",
    anthropic([asked, { role: "assistant", content: "So " }]),
    "trailing whitespace",
  ],
  ["with a bad tool name", anthropic([asked], { tools: [tool("a.b")] }), "tools.0.custom.name"],
  ["with a tool name used twice", anthropic([asked], { tools: [tool("a"), tool("a")] }), "must be unique"],
  [
    "with a tool schema of no object",
    anthropic([asked], { tools: [tool("a", { type: "string" })] }),
    "Input should be 'object'",
  ],
  [
    "with five cache marks",
    anthropic([
      {
        role: "user",
        content: Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: { type: "ephemeral" } })),
      },
    ]),
    "Found 5",
  ],
  [
    "with a thinking budget over max_tokens",
    anthropic([asked], { thinking: { type: "enabled", budget_tokens: 2000 } }),
    "must be greater than `thinking.budget_tokens`",
  ],
  [
    "that thinks, but lost the thinking before a call",
    anthropic([asked, { role: "assistant", content: [use("a")] }, { role: "user", content: [result("a")] }], {
      thinking: { type: "enabled", budget_tokens: 1024 },
    }),
    "must start with a thinking block",
  ],
  [
    "with unknown redacted thinking",
    anthropic([asked, { role: "assistant", content: [{ type: "redacted_thinking", data: "x" }] }, asked]),
    "Invalid `data`",
  ],
  [
    "with a search that has no result",
    anthropic([
      asked,
      { role: "assistant", content: [{ type: "server_tool_use", id: "s", name: "web_search", input: {} }] },
      asked,
    ]),
    "without a corresponding `web_search_tool_result`",
  ],
  ["with a lone surrogate", anthropic([{ role: "user", content: "\uD83D" }]), "lone surrogate"],
])("Anthropic refuses a request %s", async (_, body, reason) => {
  const { status, text: answer } = await post(model, "/v1/messages", body);
  expect({ status, ...JSON.parse(answer) }).toEqual({
    status: 400,
    type: "error",
    error: { type: "invalid_request_error", message: expect.stringContaining(reason) },
  });
  expect(model.refusals).toHaveLength(1);
});
