/** OpenAI's Responses API, on a mocked network. */
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { asMessage, ask, assistant, call, finishOf, model, READ, request, results, textOf, user } from "./ask.ts";
import { eventStream, openai, openStream } from "./wire.ts";

const URL = "https://api.openai.com/v1/responses";
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

interface Body {
  readonly store: boolean;
  readonly include?: readonly string[];
  readonly input: readonly { readonly type?: string; readonly role?: string }[];
}

/** Answers the next requests with these, in order, and collects their bodies. */
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

const hello = () =>
  eventStream(
    openai.created,
    openai.messageStart,
    openai.text("Good "),
    openai.text("day"),
    openai.messageEnd,
    openai.completed(),
  );

test("a reply arrives with its usage and its cost; nothing is stored there", async () => {
  const bodies = answers(hello);
  const parts = await ask(await model("openai/gpt-5"));
  expect(textOf(parts)).toBe("Good day");
  expect(finishOf(parts)).toEqual({
    type: "finish",
    reason: "stop",
    usage: {
      inputTokens: 1000,
      outputTokens: 100,
      cachedInputTokens: 900,
      cacheWriteTokens: 0,
      cost: expect.closeTo(0.0012375) as number,
    },
  });
  expect(bodies[0]?.store).toBe(false);
  expect(bodies[0]?.include).toContain("reasoning.encrypted_content");
});

test("encrypted reasoning comes back whole, all its summaries in one item, before the call that it led to", async () => {
  const bodies = answers(
    () => eventStream(openai.created, ...openai.reasoning, ...openai.call("read", '{"path":"a"}'), openai.completed()),
    hello,
  );
  const asked = await model("openai/gpt-5");
  const parts = await ask(asked, request([user("go")], { tools: [READ] }));
  expect(finishOf(parts).reason).toBe("calls");
  const conversation = [user("go"), asMessage(parts), results(["call-1", "read", { type: "text", text: "contents" }])];
  await ask(asked, request(conversation, { tools: [READ], attention: ["soon"] }));
  expect(bodies[1]?.input.slice(1)).toMatchObject([
    { role: "user" },
    {
      type: "reasoning",
      id: "rs_1",
      encrypted_content: "sealed",
      summary: [{ text: "first thought" }, { text: "second thought" }],
    },
    { type: "function_call", call_id: "call-1", name: "read", arguments: '{"path":"a"}' },
    { type: "function_call_output", call_id: "call-1", output: "contents" },
    { role: "user", content: [{ type: "input_text", text: "soon" }] },
  ]);
});

test("reasoning that is not sealed, is another provider's, or leads to nothing is left out", async () => {
  const bodies = answers(hello);
  const sealed = { provider: "openai", data: { itemId: "rs_9", reasoningEncryptedContent: "sealed" } };
  await ask(
    await model("openai/gpt-5"),
    request([
      user("go"),
      assistant(
        {
          type: "reasoning",
          text: "open",
          metadata: { provider: "openai", data: { itemId: "rs_1", reasoningEncryptedContent: null } },
        },
        { type: "reasoning", text: "signed", metadata: { provider: "anthropic", data: { signature: "s" } } },
        { type: "text", text: "kept", metadata: { provider: "anthropic", data: { itemId: "msg_x" } } },
        { type: "reasoning", text: "last", metadata: sealed },
      ),
      user("on"),
    ]),
  );
  const sent = JSON.stringify(bodies[0]?.input);
  expect(sent).toContain("kept");
  expect(sent).not.toMatch(/open|signed|last|msg_x|rs_/);
});

test("two requests have the same instructions and tools, byte for byte", async () => {
  const bodies = answers(hello, hello);
  const asked = await model("openai/gpt-5");
  await ask(asked, request([user("go")], { tools: [READ] }));
  await ask(
    asked,
    request([user("go"), assistant(call("c1", "read", {})), results(["c1", "read"])], { tools: [READ] }),
  );
  const prefix = (body: Body | undefined) => JSON.stringify({ ...body, input: body?.input.slice(0, 2) });
  expect(prefix(bodies[1])).toBe(prefix(bodies[0]));
});

test("length and content filter are told as such, and so is a refusal", async () => {
  const start = [openai.created, openai.messageStart, openai.text("and")];
  answers(
    () => eventStream(...start, openai.incomplete("max_output_tokens")),
    () => eventStream(...start, openai.incomplete("content_filter")),
    () =>
      eventStream(
        openai.created,
        openai.messageStart,
        { type: "response.refusal.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "No." },
        openai.completed(),
      ),
  );
  const asked = await model("openai/gpt-5");
  const reasons = [];
  for (let at = 0; at < 3; at++) reasons.push(finishOf(await ask(asked)).reason);
  expect(reasons).toEqual(["length", "refusal", "refusal"]);
});

test("a reply without usage has none", async () => {
  answers(() => eventStream(openai.created, openai.messageStart, openai.text("x"), openai.completed(null)));
  expect(finishOf(await ask(await model("openai/gpt-5")))).toEqual({ type: "finish", reason: "stop" });
});

test("an abort in mid-reply ends the stream with neither finish nor failure", async () => {
  server.use(
    http.post(URL, ({ request: asked }) => openStream(asked, openai.created, openai.messageStart, openai.text("a"))),
  );
  const controller = new AbortController();
  const parts = [];
  for await (const part of (await model("openai/gpt-5")).stream(request(), controller.signal)) {
    parts.push(part);
    if (part.type === "text-delta" && part.text !== "") controller.abort();
  }
  expect(textOf(parts)).toBe("a");
  expect(parts.filter((part) => part.type === "finish" || part.type === "failure")).toEqual([]);
});
