/** What every model must do with a conversation, asked over HTTP on the fake model server, which refuses what the providers would refuse. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call as fakeCall, startFakeModel, type FakeModel } from "../../src/testing/index.ts";
import { ask, assistant, call, finishOf, model, READ, request, results, textOf, user } from "./ask.ts";

let fake: FakeModel;
beforeEach(async () => {
  fake = await startFakeModel();
});
afterEach(() => fake.close());

const PROVIDERS = ["anthropic/claude-opus-4-5", "openai-compatible/some/model"] as const;

const open = (id: string) => model(id, { baseUrl: id.startsWith("anthropic") ? fake.url : `${fake.url}/v1` });

describe.each(PROVIDERS)("%s", (id) => {
  test("a reply arrives as deltas of one text and one finish with its usage", async () => {
    fake.on("hello").replies(["Good ", "day"], { usage: { input: 100, output: 7, cacheRead: 900 } });
    const parts = await ask(await open(id));
    expect(parts.map((part) => part.type)).toEqual(["text-delta", "text-delta", "finish"]);
    expect(textOf(parts)).toBe("Good day");
    expect(finishOf(parts)).toMatchObject({
      reason: "stop",
      usage: { inputTokens: 1000, outputTokens: 7, cachedInputTokens: 900, cacheWriteTokens: 0 },
    });
    fake.assertNothingLeft();
  });

  test("a call arrives as deltas and then whole, with the provider's id", async () => {
    fake.on("hello").calls("read", { path: "a.txt" });
    const parts = await ask(await open(id), request([user("hello")], { tools: [READ] }));
    const whole = parts.find((part) => part.type === "call");
    expect(whole).toMatchObject({ tool: "read", args: '{"path":"a.txt"}' });
    const deltas = parts.filter((part) => part.type === "call-delta");
    expect(deltas.map((part) => part.text).join("")).toBe('{"path":"a.txt"}');
    expect(new Set(deltas.map((part) => `${part.id} ${part.tool}`))).toEqual(
      new Set([`${whole?.type === "call" ? whole.providerId : ""} read`]),
    );
    expect(finishOf(parts).reason).toBe("calls");
  });

  test("arguments that are not JSON are passed on as they came", async () => {
    fake.on("hello").says([fakeCall("read", undefined, { rawInput: '{"path": oh' })]);
    const parts = await ask(await open(id), request([user("hello")], { tools: [READ] }));
    expect(parts).toContainEqual(expect.objectContaining({ type: "call", args: '{"path": oh' }));
  });

  test("calls are sent back under our ids, each followed by its result", async () => {
    fake.on("contents").replies("done");
    const parts = await ask(
      await open(id),
      request([
        user("read two"),
        assistant(
          { type: "text", text: "Reading." },
          call("c1", "read", { path: "a" }),
          call("c2", "read", { path: "b" }),
        ),
        results(
          ["c1", "read", { type: "text", text: "contents of a" }],
          ["c2", "read", { type: "json", value: { b: 1 } }],
        ),
      ]),
    );
    expect(textOf(parts)).toBe("done");
    const seen = fake.requests[0]?.messages ?? [];
    expect(seen.flatMap((message) => message.toolCalls)).toEqual([
      { id: "c1", name: "read", input: { path: "a" } },
      { id: "c2", name: "read", input: { path: "b" } },
    ]);
    expect(seen.flatMap((message) => message.toolResults).map(({ id: callId, text: said }) => [callId, said])).toEqual([
      ["c1", "contents of a"],
      ["c2", '{"b":1}'],
    ]);
    fake.assertClean();
  });

  test("an empty result and an error are told apart in words", async () => {
    fake.otherwise().replies("ok");
    const failed: ReturnType<typeof results> = {
      role: "tool",
      content: [
        { callId: "c1" as never, tool: "read", isError: false, content: [] },
        { callId: "c2" as never, tool: "read", isError: true, content: [{ type: "text", text: "no such file" }] },
      ],
    };
    await ask(await open(id), request([user("go"), assistant(call("c1", "read", {}), call("c2", "read", {})), failed]));
    expect(fake.requests[0]?.messages.flatMap((message) => message.toolResults.map((result) => result.text))).toEqual([
      "(empty result)",
      "no such file",
    ]);
    fake.assertClean();
  });

  test("reminders go last, after the results, and never into the system prompt", async () => {
    fake.otherwise().replies("ok");
    const conversation = [
      user("go"),
      assistant(call("c1", "read", {})),
      results(["c1", "read", { type: "text", text: "x" }]),
    ];
    await ask(await open(id), request(conversation, { attention: ["Two calls are left."] }));
    expect(fake.requests[0]?.messages.at(-1)).toMatchObject({ role: "user", text: "Two calls are left." });
    expect(fake.requests[0]?.system).toBe("You are terse.");
    fake.assertClean();
  });

  test("two requests of one conversation have the same system prompt and tools, byte for byte, and the old messages first", async () => {
    fake.otherwise().replies("ok");
    const asked = await open(id);
    const first = [user("go")];
    await ask(asked, request(first, { tools: [READ] }));
    const second = [...first, assistant({ type: "text", text: "ok" }), user("more")];
    await ask(asked, request(second, { tools: [READ] }));
    const [before, after] = fake.requests.map(
      (seen) => seen.body as { system?: unknown; tools: unknown; messages: { content: unknown }[] },
    );
    expect(JSON.stringify([after?.system, after?.tools])).toBe(JSON.stringify([before?.system, before?.tools]));
    expect(fake.requests[1]?.messages[0]).toEqual(fake.requests[0]?.messages[0]);
    fake.assertClean();
  });

  test("length and refusal are told as such", async () => {
    fake.on("length").replies("and so", { stop: "length" });
    fake.on("refusal").replies("no", { stop: "refusal" });
    const asked = await open(id);
    expect(finishOf(await ask(asked, request([user("length")]))).reason).toBe("length");
    expect(finishOf(await ask(asked, request([user("refusal")]))).reason).toBe("refusal");
  });

  test("a reply without usage has none, not zero", async () => {
    fake.on("hello").replies("hi", { usage: null });
    expect(finishOf(await ask(await open(id)))).toEqual({ type: "finish", reason: "stop" });
  });

  test("characters that are cut between packets arrive whole", async () => {
    fake.on("hello").replies(["Grüße, 世界 👋"], { chunkBytes: 1 });
    expect(textOf(await ask(await open(id)))).toBe("Grüße, 世界 👋");
  });

  test("an abort ends the stream at once, with neither finish nor failure, and the server sees the connection close", async () => {
    const held = fake.on("hello").replies(["a", "b", "c"]).hold({ after: 1 });
    const controller = new AbortController();
    const parts: string[] = [];
    for await (const part of (await open(id)).stream(request(), controller.signal)) {
      parts.push(part.type);
      controller.abort();
    }
    expect(parts).toEqual(["text-delta"]);
    await held.abandoned;
  });

  test("an abort while the server has not answered ends the stream too; an abort before asks nothing", async () => {
    const held = fake.on("hello").replies("late").hold();
    const controller = new AbortController();
    const asked = await open(id);
    const asking = ask(asked, request(), controller.signal);
    await held.reached;
    controller.abort();
    expect(await asking).toEqual([]);
    await held.abandoned;
    expect(await ask(asked, request(), controller.signal)).toEqual([]);
    expect(fake.requests).toHaveLength(1);
  });

  test("a reader that leaves early closes the connection", async () => {
    const held = fake.on("hello").replies(["a", "b", "c"]).hold({ after: 1 });
    for await (const part of (await open(id)).stream(request(), new AbortController().signal)) {
      expect(part.type).toBe("text-delta");
      break;
    }
    await held.abandoned;
  });
});
