/** Replies that go wrong, as the real client libraries read them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeModel, text, type FakeModel, type Reply } from "../../src/testing/index.ts";
import { client, hear, hearBoth, PROTOCOLS, user } from "./fake-model-client.ts";

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

test.each([400, 401, 403, 404, 413, 429, 503, 529])("status %i comes in the provider's shape", async (status) => {
  const retryable = status === 429 || status >= 500;
  const line = [`throws AI_APICallError ${status} retryable ${retryable}: no luck`];
  expect(await hearBoth(model, { type: "http-error", status, message: "no luck" })).toEqual({
    anthropic: line,
    openai: line,
  });
});

test("a 500 may have an empty body, and a 429 says when to come back", async () => {
  model.on("hello").fails({ status: 500, body: "" });
  model.on("hello").fails({ status: 429, retryAfterSeconds: 1 });
  model
    .on("hello")
    .fails({ status: 429, retryAfterDate: "Wed, 21 Oct 2026 07:28:00 GMT", headers: { "x-should-retry": "true" } });
  expect(await hear(model, "anthropic")).toEqual(["throws AI_APICallError 500 retryable true: Internal Server Error"]);
  const prompt = [user("hello")];
  await expect(client(model.url, "anthropic").doStream({ prompt })).rejects.toMatchObject({
    responseHeaders: { "retry-after": "1" },
  });
  await expect(client(model.url, "openai").doStream({ prompt })).rejects.toMatchObject({
    responseHeaders: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "x-should-retry": "true" },
  });
});

test("a prompt that is too long is refused as each provider does it", async () => {
  model.on("hello").always().answers({ type: "context-too-long", tokens: 201, limit: 200 });
  expect(await hear(model, "anthropic")).toEqual([
    "throws AI_APICallError 400 retryable false: prompt is too long: 201 tokens > 200 maximum",
  ]);
  await expect(client(model.url, "openai").doStream({ prompt: [user("hello")] })).rejects.toMatchObject({
    data: { error: { code: "context_length_exceeded" } },
  });
});

test("an HTML page with status 200, and a connection that is reset", async () => {
  expect(await hearBoth(model, { type: "html" })).toMatchInlineSnapshot(`
      {
        "anthropic": [],
        "openai": [
          "error AI_InvalidResponseDataError",
          "finish error (undefined) in undefined+undefined+undefined out undefined",
        ],
      }
    `);
  const reset = await hearBoth(model, { type: "reset" });
  expect([reset.anthropic, reset.openai].map((lines) => lines.map((line) => line.split(":")[0]))).toEqual([
    ["throws AI_APICallError undefined retryable true"],
    ["throws AI_APICallError undefined retryable true"],
  ]);
});

test("an error event ends the stream, as its first event or in the middle", async () => {
  expect(
    await hearBoth(model, { type: "message", content: [text(["a", "b"])], fault: { type: "error-event", after: 1 } }),
  ).toMatchInlineSnapshot(`
      {
        "anthropic": [
          "text-start",
          "text-delta "a"",
          "error {"type":"overloaded_error","message":"Overloaded"}",
        ],
        "openai": [
          "text-start",
          "text-delta "a"",
          "error {"message":"The server is overloaded","type":"server_error","param":null,"code":null}",
          "text-end",
          "finish error (undefined) in undefined+undefined+undefined out undefined",
        ],
      }
    `);
  expect(
    await hearBoth(model, {
      type: "message",
      content: [text(["a"])],
      fault: { type: "error-event", after: "headers" },
    }),
  ).toMatchInlineSnapshot(`
      {
        "anthropic": [
          "throws AI_APICallError 529 retryable true: Overloaded",
        ],
        "openai": [
          "error {"message":"The server is overloaded","type":"server_error","param":null,"code":null}",
          "finish error (undefined) in undefined+undefined+undefined out undefined",
        ],
      }
    `);
});

test("a stream may be cut, end early, or carry an event that is not JSON", async () => {
  const content = [text(["a", "b"])];
  expect(await hearBoth(model, { type: "message", content, fault: { type: "cut", after: 1 } })).toMatchInlineSnapshot(`
      {
        "anthropic": [
          "text-start",
          "text-delta "a"",
          "throws AI_APICallError 200 retryable true: Failed to process successful response",
        ],
        "openai": [
          "text-start",
          "text-delta "a"",
          "throws AI_APICallError 200 retryable true: Failed to process successful response",
        ],
      }
    `);
  expect(await hearBoth(model, { type: "message", content, fault: { type: "early-end", after: 99 } }))
    .toMatchInlineSnapshot(`
      {
        "anthropic": [
          "text-start",
          "text-delta "a"",
          "text-delta "b"",
        ],
        "openai": [
          "text-start",
          "text-delta "a"",
          "text-delta "b"",
          "text-end",
          "error AI_InvalidResponseDataError",
          "finish error (undefined) in undefined+undefined+undefined out undefined",
        ],
      }
    `);
  expect(await hearBoth(model, { type: "message", content, fault: { type: "bad-json", after: 1 } }))
    .toMatchInlineSnapshot(`
      {
        "anthropic": [
          "text-start",
          "text-delta "a"",
          "error AI_JSONParseError",
          "text-delta "b"",
          "text-end",
          "finish stop (end_turn) in 10+0+0 out 5",
        ],
        "openai": [
          "text-start",
          "text-delta "a"",
          "error AI_JSONParseError",
          "text-delta "b"",
          "text-end",
          "finish stop (stop) in 10+0+undefined out 5",
        ],
      }
    `);
});

test.each<[string, Reply, string[]]>([
  ["with no byte sent", { type: "silence" }, []],
  ["after the headers", { type: "message", content: [text(["a"])], fault: { type: "stall", after: "headers" } }, []],
  ["after some text", { type: "message", content: [text(["a", "b"])], fault: { type: "stall", after: 1 } }, ["a"]],
])("a reply may stall %s until the client gives up", async (_, reply, deltas) => {
  for (const protocol of PROTOCOLS) {
    const hold = model.on("hello").answers(reply).hold();
    const abort = new AbortController();
    const heard: string[] = [];
    const listening = (async () => {
      const { stream } = await client(model.url, protocol).doStream({
        prompt: [user("hello")],
        abortSignal: abort.signal,
      });
      for await (const part of stream) {
        if (part.type === "text-delta") heard.push(part.delta);
        if (heard.length > 0) abort.abort();
      }
    })();
    await hold.reached;
    hold.release();
    if (deltas.length === 0) abort.abort();
    await expect(listening).rejects.toMatchObject({ name: "AbortError" });
    expect(heard).toEqual(deltas);
  }
});
