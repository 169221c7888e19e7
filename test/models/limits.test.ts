/** Time limits, with a clock that the test turns. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Model, ModelPart } from "../../src/core/model.ts";
import type { StartTimer } from "../../src/models/limits.ts";
import { startFakeModel, type FakeModel } from "../../src/testing/index.ts";
import { ask, failureOf, finishOf, model, request } from "./ask.ts";

/** Timers that fire only when the time is moved. */
function createClock() {
  let time = 0;
  let timers: { at: number; act: () => void }[] = [];
  const startTimer: StartTimer = (act, ms) => {
    const timer = { at: time + ms, act };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  };
  return {
    startTimer,
    running: () => timers.length,
    pass(ms: number) {
      time += ms;
      for (const timer of timers.filter(({ at }) => at <= time)) {
        timers = timers.filter((other) => other !== timer);
        timer.act();
      }
    },
  };
}

let fake: FakeModel;
let clock: ReturnType<typeof createClock>;
beforeEach(async () => {
  fake = await startFakeModel();
  clock = createClock();
});
afterEach(() => fake.close());

const limits = { firstByteMs: 1000, idleMs: 2000, totalMs: 10_000 };

/** Lets what was started get as far as it can without time passing. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

/** Reads until the first text and then goes on when asked to. */
async function begin(asked: Model): Promise<{ rest: () => Promise<ModelPart[]> }> {
  const stream = asked.stream(request(), new AbortController().signal)[Symbol.asyncIterator]();
  await stream.next();
  return {
    async rest() {
      const parts: ModelPart[] = [];
      for (let next = await stream.next(); next.done !== true; next = await stream.next()) parts.push(next.value);
      return parts;
    },
  };
}

describe.each(["anthropic/claude-opus-4-5", "openai-compatible/some/model"])("%s", (id) => {
  const open = () => model(id, { baseUrl: `${fake.url}/v1`, limits, startTimer: clock.startTimer });

  test("a server that never answers hits the first-byte limit, and its connection is closed", async () => {
    const held = fake.on("hello").replies("late").hold();
    const asking = ask(await open());
    await held.reached;
    clock.pass(999);
    clock.pass(1);
    expect(failureOf(await asking)).toEqual({
      kind: "model_unavailable",
      limit: "first-byte",
      message: `${id.split("/")[0]} sent nothing for 1 s (first-byte limit)`,
    });
    await held.abandoned;
    expect(clock.running()).toBe(0);
  });

  test("headers without a body hit the first-byte limit too", async () => {
    const held = fake.on("hello").replies("late").hold({ after: "headers" });
    const asking = ask(await open());
    await held.reached;
    clock.pass(1000);
    expect(failureOf(await asking).limit).toBe("first-byte");
  });

  test("a reply that falls silent hits the idle limit", async () => {
    const held = fake.on("hello").replies(["a", "b", "c"]).hold({ after: 1 });
    const { rest } = await begin(await open());
    await held.reached;
    const asking = rest();
    await settle();
    clock.pass(1999);
    clock.pass(1);
    expect(failureOf(await asking)).toMatchObject({ kind: "model_unavailable", limit: "idle" });
    await held.abandoned;
  });

  test("time in which nobody reads is not the provider's silence", async () => {
    const held = fake.on("hello").replies(["a", "b", "c"]).hold({ after: 1 });
    const { rest } = await begin(await open());
    await held.reached;
    clock.pass(5000);
    held.release();
    expect(finishOf(await rest()).reason).toBe("stop");
    expect(clock.running()).toBe(0);
  });

  test("a reply that takes too long altogether hits the total limit", async () => {
    const held = fake.on("hello").replies(["a", "b", "c"]).hold({ after: 1 });
    const { rest } = await begin(await open());
    await held.reached;
    clock.pass(10_000);
    expect(failureOf(await rest())).toMatchObject({ kind: "model_unavailable", limit: "total" });
  });
});

test("a connection that cannot be made in time is told apart", async () => {
  const cause = Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  expect(failureOf(await ask(await model("openai/gpt-5", { fetch })))).toMatchObject({
    kind: "model_unavailable",
    limit: "connect",
  });
});

test("a request that ignores its signal still ends for the reader, on a limit and on an abort", async () => {
  const fetch = () => new Promise<Response>(() => {});
  const asked = await model("openai/gpt-5", { fetch, limits, startTimer: clock.startTimer });
  const asking = ask(asked);
  await settle();
  clock.pass(1000);
  expect(failureOf(await asking).limit).toBe("first-byte");
  const controller = new AbortController();
  const aborted = ask(asked, request(), controller.signal);
  controller.abort();
  expect(await aborted).toEqual([]);
});

test("a body that hangs and cannot be cancelled still ends for the reader", async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')),
    pull: () => new Promise<void>(() => {}),
    cancel: () => new Promise<void>(() => {}),
  });
  const fetch = () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  const asked = await model("openai-compatible/x", {
    baseUrl: "http://localhost:1/v1",
    fetch,
    limits,
    startTimer: clock.startTimer,
  });
  const { rest } = await begin(asked);
  const asking = rest();
  await settle();
  clock.pass(2000);
  expect(failureOf(await asking).limit).toBe("idle");
});
