/** Replies that are in order, as the real client libraries read them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  call,
  reasoning,
  startFakeModel,
  text,
  webSearch,
  type FakeModel,
  type Reply,
} from "../../src/testing/index.ts";
import { client, hear, hearBoth, post, PROTOCOLS, user, type Tools } from "./fake-model-client.ts";

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

test("a text comes in several deltas with the usage that the script gives", async () => {
  const usage = { input: 7, output: 3, cacheRead: 5, cacheWrite: 2 };
  expect(await hearBoth(model, { type: "message", content: [text("Hello you.")], usage })).toMatchInlineSnapshot(`
      {
        "anthropic": [
          "text-start",
          "text-delta "Hell"",
          "text-delta "o yo"",
          "text-delta "u."",
          "text-end",
          "finish stop (end_turn) in 7+5+2 out 3",
        ],
        "openai": [
          "text-start",
          "text-delta "Hell"",
          "text-delta "o yo"",
          "text-delta "u."",
          "text-end",
          "finish stop (stop) in 9+5+undefined out 3",
        ],
      }
    `);
  model.assertNothingLeft();
});

test("exact deltas may split a surrogate pair, and bytes may split a character", async () => {
  for (const protocol of PROTOCOLS) {
    model.on("hello").replies(["a\uD83D", "\uDE00b"]);
    model.on("hello").replies(["grinning 😀"], { chunkBytes: 1 });
    expect(await hear(model, protocol)).toEqual(
      expect.arrayContaining(['text-delta "a\\ud83d"', 'text-delta "\\ude00b"']),
    );
    expect(await hear(model, protocol)).toEqual(expect.arrayContaining(['text-delta "grinning 😀"']));
  }
});

test("reasoning, text and several calls come in one reply, in order", async () => {
  const content = [reasoning(["Think"]), text(["Look:"]), call("read", { path: "a" }), call("read", { path: "b" })];
  expect(await hearBoth(model, { type: "message", content })).toMatchInlineSnapshot(`
      {
        "anthropic": [
          "reasoning-start",
          "reasoning-delta "Think"",
          "reasoning-delta "" {"anthropic":{"signature":"signature_0001"}}",
          "reasoning-end",
          "text-start",
          "text-delta "Look:"",
          "text-end",
          "tool-input-start read",
          "tool-input-delta "{\\"pa"",
          "tool-input-delta "th\\":"",
          "tool-input-delta "\\"a\\"}"",
          "tool-input-end",
          "tool-call toolu_0001 read {"path":"a"}",
          "tool-input-start read",
          "tool-input-delta "{\\"pa"",
          "tool-input-delta "th\\":"",
          "tool-input-delta "\\"b\\"}"",
          "tool-input-end",
          "tool-call toolu_0002 read {"path":"b"}",
          "finish tool-calls (tool_use) in 10+0+0 out 5",
        ],
        "openai": [
          "reasoning-start",
          "reasoning-delta "Think"",
          "reasoning-end",
          "text-start",
          "text-delta "Look:"",
          "tool-input-start read",
          "tool-input-delta "{\\"pa"",
          "tool-input-delta "th\\":"",
          "tool-input-delta "\\"a\\"}"",
          "tool-input-start read",
          "tool-input-delta "{\\"pa"",
          "tool-input-delta "th\\":"",
          "tool-input-delta "\\"b\\"}"",
          "text-end",
          "tool-input-end",
          "tool-call call_0001 read {"path":"a"}",
          "tool-input-end",
          "tool-call call_0002 read {"path":"b"}",
          "finish tool-calls (tool_calls) in 10+0+undefined out 5",
        ],
      }
    `);
});

test("redacted thinking and a search that the provider runs itself reach an Anthropic client", async () => {
  model
    .on("hello")
    .says([
      reasoning("secret", { redacted: true }),
      webSearch("weather", [{ url: "https://a.example", title: "A" }]),
      text(["Sun."]),
    ]);
  const tools: Tools = [{ type: "provider", id: "anthropic.web_search_20250305", name: "web_search", args: {} }];
  expect(await hear(model, "anthropic", { tools })).toMatchInlineSnapshot(`
      [
        "reasoning-start {"anthropic":{"redactedData":"redacted_0001"}}",
        "reasoning-end",
        "tool-input-start web_search",
        "tool-input-delta "{\\"query\\":\\"weather\\"}"",
        "tool-input-end",
        "tool-call srvtoolu_0001 web_search {"query":"weather"} provider-executed",
        "tool-result srvtoolu_0001 [{"url":"https://a.example","title":"A","pageAge":null,"encryptedContent":"encrypted_0001","type":"web_search_result"}]",
        "source {"anthropic":{"pageAge":null}}",
        "text-start",
        "text-delta "Sun."",
        "text-end",
        "finish stop (end_turn) in 10+0+0 out 5",
      ]
    `);
});

test("a call id can be repeated in a reply and reused by a later one", async () => {
  model
    .on("hello")
    .always()
    .says([call("read", {}, { id: "same" }), call("read", {}, { id: "same" })]);
  for (let reply = 1; reply <= 2; reply += 1) {
    const heard = await hear(model, "anthropic");
    expect(heard.filter((line) => line.startsWith("tool-call"))).toEqual([
      "tool-call same read {}",
      "tool-call same read {}",
    ]);
  }
  // Read from the wire, because this client gives the second call an id of its own making.
  const { text: sent } = await post(model, "/v1/chat/completions", {
    model: "m",
    stream: true,
    messages: [{ role: "user", content: "hello" }],
  });
  expect(sent.match(/"id":"same"/g)).toHaveLength(2);
});

test("arguments may be broken JSON, or JSON that is not an object", async () => {
  const content = [call("read", {}, { rawInput: ['{"path":', '"a'] }), call("read", [1]), call("read", null)];
  expect(await hearBoth(model, { type: "message", content })).toMatchInlineSnapshot(`
      {
        "anthropic": [
          "tool-input-start read",
          "tool-input-delta "{\\"path\\":"",
          "tool-input-delta "\\"a"",
          "tool-input-end",
          "tool-call toolu_0001 read {"path":"a",
          "tool-input-start read",
          "tool-input-delta "["",
          "tool-input-delta "1"",
          "tool-input-delta "]"",
          "tool-input-end",
          "tool-call toolu_0002 read [1]",
          "tool-input-start read",
          "tool-input-delta "nu"",
          "tool-input-delta "ll"",
          "tool-input-end",
          "tool-call toolu_0003 read null",
          "finish tool-calls (tool_use) in 10+0+0 out 5",
        ],
        "openai": [
          "tool-input-start read",
          "tool-input-delta "{\\"path\\":"",
          "tool-input-delta "\\"a"",
          "tool-input-start read",
          "tool-input-delta "["",
          "tool-input-delta "1"",
          "tool-input-delta "]"",
          "tool-input-start read",
          "tool-input-delta "nu"",
          "tool-input-delta "ll"",
          "tool-input-end",
          "tool-call call_0001 read {"path":"a",
          "tool-input-end",
          "tool-call call_0002 read [1]",
          "tool-input-end",
          "tool-call call_0003 read null",
          "finish tool-calls (tool_calls) in 10+0+undefined out 5",
        ],
      }
    `);
});

test.each<[string, Reply, { anthropic: string; openai: string }]>([
  [
    "nothing at all",
    { type: "message", content: [] },
    { anthropic: "finish stop (end_turn)", openai: "finish stop (stop)" },
  ],
  [
    "a stop for length without content",
    { type: "message", content: [], stop: "length" },
    { anthropic: "finish length (max_tokens)", openai: "finish length (length)" },
  ],
  [
    "a refusal",
    { type: "message", content: [], stop: "refusal" },
    { anthropic: "finish content-filter (refusal)", openai: "finish content-filter (content_filter)" },
  ],
])("the reply may be %s", async (_, reply, { anthropic, openai }) => {
  expect(await hearBoth(model, reply)).toEqual({
    anthropic: [`${anthropic} in 10+0+0 out 5`],
    openai: [`${openai} in 10+0+undefined out 5`],
  });
});

test("a reply may stop for length with content, report no usage, or have no choice", async () => {
  model.on("hello").replies(["cut of"], { stop: "length", usage: null });
  model.on("hello").answers({ type: "no-choices" });
  expect(await hear(model, "openai")).toMatchInlineSnapshot(`
      [
        "text-start",
        "text-delta "cut of"",
        "text-end",
        "finish length (length) in undefined+undefined+undefined out undefined",
      ]
    `);
  expect(await hear(model, "openai")).toMatchInlineSnapshot(`
      [
        "error AI_InvalidResponseDataError",
        "finish error (undefined) in undefined+undefined+undefined out undefined",
      ]
    `);
});

test("a request that does not ask for a stream gets one body", async () => {
  model
    .on("hello")
    .times(2)
    .says([reasoning("Think"), text("Look:"), call("read", { path: "a" })]);
  for (const protocol of PROTOCOLS) {
    const { content, finishReason } = await client(model.url, protocol).doGenerate({ prompt: [user("hello")] });
    expect(content.map((part) => part.type).toSorted()).toEqual(["reasoning", "text", "tool-call"]);
    expect(finishReason.unified).toBe("tool-calls");
  }
});
