/** Google's Gemini API, on a mocked network. */
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  asMessage,
  ask,
  assistant,
  call,
  failureOf,
  finishOf,
  model,
  READ,
  request,
  results,
  textOf,
  user,
} from "./ask.ts";
import { eventStream, google } from "./wire.ts";

const URL = "https://generativelanguage.googleapis.com/v1beta/models/:call";
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

interface Body {
  readonly systemInstruction: unknown;
  readonly tools: unknown;
  readonly contents: readonly { readonly role: string; readonly parts: readonly object[] }[];
}

function answers(...responses: readonly (() => Response)[]): Body[] {
  const bodies: Body[] = [];
  server.use(
    http.post(URL, async ({ request: asked }) => {
      bodies.push((await asked.json()) as Body);
      return responses[bodies.length - 1]?.() ?? HttpResponse.error();
    }),
  );
  return bodies;
}

const hello = () => eventStream(google.parts({ text: "Good " }), google.end("STOP", { text: "day" }));

test("a reply arrives with its usage, thoughts counted as output", async () => {
  answers(hello);
  const parts = await ask(await model("google/gemini-2.5-flash"));
  expect(textOf(parts)).toBe("Good day");
  expect(finishOf(parts)).toEqual({
    type: "finish",
    reason: "stop",
    usage: {
      inputTokens: 1000,
      outputTokens: 100,
      cachedInputTokens: 900,
      cacheWriteTokens: 0,
      cost: expect.closeTo(0.000307) as number,
    },
  });
});

test("thought signatures of text and of calls come back to Google, and those of others do not", async () => {
  const bodies = answers(
    () =>
      eventStream(
        google.parts({ text: "hm", thought: true, thoughtSignature: "of-thought" }),
        google.parts({ text: "so", thoughtSignature: "of-text" }),
        google.end("STOP", { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "of-call" }),
      ),
    hello,
  );
  const asked = await model("google/gemini-3-pro-preview");
  const reply = asMessage(await ask(asked, request([user("go")], { tools: [READ] })));
  const foreign = assistant(
    { type: "reasoning", text: "foreign", metadata: { provider: "anthropic", data: { signature: "s" } } },
    { type: "text", text: "kept", metadata: { provider: "openai", data: { thoughtSignature: "stolen" } } },
  );
  const conversation = [
    user("go"),
    reply,
    results(["call-1", "read", { type: "text", text: "contents" }]),
    foreign,
    user("on"),
  ];
  await ask(asked, request(conversation, { tools: [READ] }));
  expect(bodies[1]?.contents[1]?.parts).toMatchObject([
    { text: "hm", thought: true, thoughtSignature: "of-thought" },
    { text: "so", thoughtSignature: "of-text" },
    { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "of-call" },
  ]);
  expect(bodies[1]?.contents[2]?.parts).toMatchObject([
    { functionResponse: { name: "read", response: { content: "contents" } } },
  ]);
  expect(JSON.stringify(bodies[1])).not.toMatch(/foreign|stolen/);
});

test("a tool's picture goes along with its one response", async () => {
  const bodies = answers(hello);
  const png = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
  const conversation = [
    user("go"),
    assistant(call("c1", "read", {})),
    results(["c1", "read", { type: "text", text: "a" }, { type: "json", value: [1] }, png]),
  ];
  await ask(await model("google/gemini-3-pro-preview"), request(conversation, { tools: [READ] }));
  expect(bodies[0]?.contents[2]?.parts).toMatchObject([
    { functionResponse: { response: { content: "a\n[1]" }, parts: [{ inlineData: { mimeType: "image/png" } }] } },
  ]);
});

test("a picture that the model made is a file, and comes back with its signature", async () => {
  const bodies = answers(
    () =>
      eventStream(
        google.end("STOP", {
          inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" },
          thoughtSignature: "of-file",
        }),
      ),
    hello,
  );
  const asked = await model("google/gemini-2.5-flash-image");
  const parts = await ask(asked);
  expect(parts).toContainEqual(expect.objectContaining({ type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" }));
  await ask(asked, request([user("draw"), asMessage(parts), user("on")]));
  expect(bodies[1]?.contents[1]?.parts).toMatchObject([
    { inlineData: { data: "iVBORw0KGgo=" }, thoughtSignature: "of-file" },
  ]);
});

test("two requests have the same system prompt and tools, byte for byte", async () => {
  const bodies = answers(hello, hello);
  const asked = await model("google/gemini-2.5-flash");
  await ask(asked, request([user("go")], { tools: [READ] }));
  await ask(
    asked,
    request([user("go"), assistant({ type: "text", text: "ok" }), user("on")], { tools: [READ], attention: ["soon"] }),
  );
  const prefix = (body: Body | undefined) => JSON.stringify([body?.systemInstruction, body?.tools, body?.contents[0]]);
  expect(prefix(bodies[1])).toBe(prefix(bodies[0]));
});

test("length, safety and a blocked prompt are told as such", async () => {
  answers(
    () => eventStream(google.end("MAX_TOKENS", { text: "and" })),
    () => eventStream(google.end("SAFETY")),
    () =>
      eventStream({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 3 } }),
  );
  const asked = await model("google/gemini-2.5-flash");
  const reasons = [];
  for (let at = 0; at < 3; at++) reasons.push(finishOf(await ask(asked)).reason);
  expect(reasons).toEqual(["length", "refusal", "refusal"]);
});

const wait = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" };
const badKey = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" };
const json = (code: number, status: string, words: string) => () =>
  HttpResponse.json(google.error(code, status, words), { status: code });
const detailed = (code: number, status: string, detail: object) => () =>
  HttpResponse.json({ error: { code, status, message: "see details", details: [detail] } }, { status: code });

test.each<[what: string, failure: object, answer: () => Response]>([
  ["a stream that just stops", { kind: "model_unavailable" }, () => eventStream(google.parts({ text: "half" }))],
  ["a web page", { kind: "model_invalid_output" }, () => HttpResponse.html("<html>hello</html>")],
  [
    "an event that is not JSON",
    { kind: "model_invalid_output" },
    () => eventStream(google.parts({ text: "x" }), "data: {oh\n\n"),
  ],
  ["a malformed call", { kind: "model_invalid_output" }, () => eventStream(google.end("MALFORMED_FUNCTION_CALL"))],
  [
    "an end for other reasons and without content",
    { kind: "model_invalid_output" },
    () => eventStream(google.end("OTHER")),
  ],
  [
    "an error in the stream",
    { kind: "model_overloaded" },
    () => eventStream(google.parts({ text: "x" }), google.error(503, "UNAVAILABLE", "busy")),
  ],
  [
    "a rate limit with a wait",
    { kind: "model_rate_limited", status: 429, retryAfterMs: 34_500 },
    detailed(429, "RESOURCE_EXHAUSTED", wait),
  ],
  [
    "a bad key",
    { kind: "model_auth", status: 400, message: "google answered 400: see details" },
    detailed(400, "INVALID_ARGUMENT", badKey),
  ],
  ["a forbidden model", { kind: "model_auth" }, json(403, "PERMISSION_DENIED", "no")],
  [
    "an overflow",
    { kind: "context_overflow" },
    json(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
  ],
  ["a bad request", { kind: "model_invalid_request" }, json(400, "INVALID_ARGUMENT", "bad")],
  ["an overload", { kind: "model_overloaded" }, json(503, "UNAVAILABLE", "The model is overloaded.")],
  ["a fault of theirs", { kind: "model_unavailable" }, json(500, "INTERNAL", "oops")],
])("%s is %o", async (_what, failure, answer) => {
  answers(answer);
  expect(failureOf(await ask(await model("google/gemini-2.5-flash")))).toMatchObject(failure);
});
