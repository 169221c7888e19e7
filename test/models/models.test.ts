/** Which models can be had, and what is said where one cannot. */
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { UsageError } from "../../src/core/error.ts";
import { createModels } from "../../src/models/models.ts";
import { createPromptMaker } from "../../src/models/prompt.ts";
import { PROVIDERS } from "../../src/models/providers.ts";
import { ask, assistant, call, KEYS, model, NOW, request, results, user } from "./ask.ts";

const without = createModels({ environment: {}, now: () => NOW });

test.each([
  ["anthropic/x", "No key for anthropic: set ANTHROPIC_API_KEY, or use --model demo, which needs none."],
  ["openai/x", "No key for openai: set OPENAI_API_KEY, or use --model demo, which needs none."],
  [
    "google/x",
    "No key for google: set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY, or use --model demo, which needs none.",
  ],
  [
    "mistral/x",
    'Unknown model "mistral/x": a model is PROVIDER/NAME, and the providers are anthropic, openai, google, openai-compatible, demo. `dacapo send ID --set model=PROVIDER/NAME` gives a session another one.',
  ],
  [
    "claude",
    'Unknown model "claude": a model is PROVIDER/NAME, and the providers are anthropic, openai, google, openai-compatible, demo. `dacapo send ID --set model=PROVIDER/NAME` gives a session another one.',
  ],
  ["anthropic", 'The model "anthropic" has no name: write anthropic/NAME.'],
  [
    "openai-compatible/x",
    "The provider openai-compatible needs the address of its server: give --base-url, for example http://localhost:11434/v1.",
  ],
])("%s is refused before any request", async (id, message) => {
  await expect(without(id)).rejects.toThrow(new UsageError(message));
});

test.each([
  ["nonsense", 'The base URL "nonsense" is not an http or https address.'],
  ["file:///etc/passwd", 'The base URL "file:///etc/passwd" is not an http or https address.'],
  [
    "http://me:secret@localhost/v1",
    "The base URL must not hold a name or password: give the key in ANTHROPIC_API_KEY.",
  ],
])("the base URL %s is refused", async (baseUrl, message) => {
  await expect(model("anthropic/x", { baseUrl })).rejects.toThrow(new UsageError(message));
});

test("a blank key is no key", async () => {
  await expect(model("openai/x", { environment: { OPENAI_API_KEY: " " } })).rejects.toThrow(UsageError);
});

test.each([
  ["anthropic/x", "", "/v1/messages"],
  ["anthropic/x", "/v1/", "/v1/messages"],
  ["anthropic/x", "/proxy", "/proxy/messages"],
  ["openai/x", "", "/v1/responses"],
  ["google/x", "", "/v1beta/models/x:streamGenerateContent"],
  ["openai-compatible/x", "", "/chat/completions"],
  ["openai-compatible/x", "/v1", "/v1/chat/completions"],
])("%s at a base URL with the path '%s' is asked at %s, with its key", async (id, path, expected) => {
  const seen: { path: string; key: unknown }[] = [];
  const server = createServer((incoming, response) => {
    const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = incoming.headers;
    seen.push({
      path: new URL(incoming.url ?? "", "http://localhost").pathname,
      key: authorization ?? anthropic ?? google,
    });
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const environment = { ...KEYS, OPENAI_COMPATIBLE_API_KEY: "key-of-mine" };
  await ask(await model(id, { baseUrl: `http://127.0.0.1:${port}${path}`, environment }));
  server.close();
  expect(seen).toEqual([{ path: expected, key: expect.stringContaining("key-of-") as string }]);
});

test("a model says which it is", async () => {
  expect((await model("anthropic/claude-opus-5-5")).id).toBe("anthropic/claude-opus-5-5");
  expect((await model("demo")).id).toBe("demo/demo");
  expect((await model("demo/price")).id).toBe("demo/price");
});

test("connections of finished replies are used again", async () => {
  const ports = new Set<number | undefined>();
  const done = 'data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const server = createServer((incoming, response) => {
    ports.add(incoming.socket.remotePort);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(done);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const asked = await model("openai-compatible/x", { baseUrl: `http://127.0.0.1:${port}` });
  for (let at = 0; at < 4; at++) await ask(asked);
  server.close();
  expect(ports.size).toBeLessThan(4);
});

test("a long conversation is converted once: the next request makes only what is new", () => {
  const messages = Array.from({ length: 2500 }, (_, at) => [
    user(`question ${at}`),
    assistant({ type: "text", text: "Reading." }, call(`c${at}`, "read", { path: `f${at}` })),
    results([`c${at}`, "read", { type: "text", text: "contents" }]),
    assistant({ type: "text", text: "answer" }),
  ]).flat();
  const convert = createPromptMaker(PROVIDERS.anthropic, "anthropic");
  const first = convert(request(messages));
  const second = convert(request([...messages, user("new")]));
  const same = second.prompt.filter((message, at) => message === first.prompt[at]).length;
  expect(messages.length - same).toBeLessThan(5);
});
