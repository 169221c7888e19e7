/** A process leaves in the middle of a turn, wherever that is; the next one goes on from there. */
import { expect, test } from "vitest";
import type { StopHookInfo } from "../../src/operations/stop-hook.ts";
import { call } from "../../src/testing/index.ts";
import { createPlace } from "./processes.ts";
import type { Process } from "./processes.ts";

const both = [call("calculator__total"), call("calculator__add", { a: 1, b: 2 })];

/** Where the first process leaves, and what the session comes to. All end in the same conversation. */
const TAILS: Readonly<Record<string, (process: Process) => Promise<void>>> = {
  "a prompt that nobody has taken in": () => Promise.resolve(),
  "a turn without a reply": (process) => process.stepUntil("inference"),
  "calls that nobody has looked at": (process) => process.stepUntil("admit"),
  "calls that nobody has decided": (process) => process.stepUntil("approval"),
  "approved calls that did not start": (process) => process.stepUntil("tool-exec"),
  "a call that may run again and never came back": (process) => process.stopInside("tool-exec", 1),
  "a batch of which one call has landed": (process) => process.stopInside("tool-exec", 2),
  "results without an answer": async (process) => {
    await process.stepUntil("tool-exec");
    await process.stepUntil("inference");
  },
  "an answer whose turn has not ended": (process) => process.stepUntil("settle"),
  "a turn that has ended": async (process) => void (await process.run()),
};

test.for(Object.entries(TAILS))("from %s", async ([, leave]) => {
  const place = await createPlace({ calculator: "trusted" });
  place.world.model.on("count").says([call("calculator__total"), call("calculator__slow", { milliseconds: 0 })]);
  place.world.model.on("waited").replies("Zero.");
  await place.process(async (first) => {
    await first.prompt("count");
    await leave(first);
  });
  expect(await place.process((second) => second.run())).toBe("completed");
  expect(await place.transcript()).toBe(
    [
      "user      count",
      "assistant → calculator__total {}",
      '          → calculator__slow {"milliseconds":0}',
      "result    calculator__total ok: 0",
      "result    calculator__slow ok: waited 0 ms",
      "assistant Zero.",
      "outcome   completed",
    ].join("\n"),
  );
  place.world.model.assertNothingLeft();
});

test("from a call that must not run again: it is told, and the model goes on", async () => {
  const place = await createPlace({ calculator: "untrusted" });
  place.world.model.on("count").says(both);
  place.world.model.on("may or may not").replies("I will look.");
  await place.process(async (first) => {
    await first.prompt("count");
    await first.stopInside("tool-exec", 1);
  });
  expect(await place.process((second) => second.run())).toBe("completed");
  expect(await place.transcript()).toMatchInlineSnapshot(`
    "user      count
    assistant → calculator__total {}
              → calculator__add {"a":1,"b":2}
    result    calculator__total unknown(unknown_effect): The process that ran this call ended before its result was stored. The call calculator__total may or may not have taken effect. It was not run again. Check before you repeat it.
    result    calculator__add ok: 3 {"result":3,"total":3}
    assistant I will look.
    outcome   completed"
  `);
  expect(place.effects()).toEqual(['add {"a":1,"b":2}']);
});

test("from a reply that was empty, and from a nudge that nobody has answered", async () => {
  for (const operation of ["empty-reply", "inference"]) {
    const place = await createPlace();
    place.world.model.on("hello").says([]);
    place.world.model.on("empty").replies("Hello.");
    await place.process(async (first) => {
      await first.prompt("hello");
      await first.stepUntil("empty-reply");
      await first.stepUntil(operation);
    });
    expect(await place.process((second) => second.run())).toBe("completed");
    expect(place.world.model.requests).toHaveLength(2);
  }
});

test("from an error of the model, from its timer, and long after its time", async () => {
  for (const [waitMs, wokenAfterMs] of [
    [0, 1_000],
    [400, 600],
    [60_000, 0],
  ] as const) {
    const place = await createPlace();
    const { world } = place;
    world.model.on("hello").fails({ status: 503 });
    world.model.on("hello").replies("Hello.");
    await place.process(async (first) => {
      await first.prompt("hello");
      await first.stepUntil("retry");
      if (waitMs > 0) await first.app.sessions.step(world.sessionId);
    });
    await world.clock.sleep(waitMs, new AbortController().signal);
    const left = world.clock.now();
    expect(await place.process((second) => second.run())).toBe("completed");
    expect(world.clock.now() - left).toBe(wokenAfterMs);
    expect(await place.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_overloaded) anthropic answered 503: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 503: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
      assistant Hello.
      outcome   completed"
    `);
  }
});

test("from a hook that has answered: it is not asked again", async () => {
  const asked: StopHookInfo[] = [];
  const place = await createPlace({ stopHooks: () => [hookThat(asked)] });
  place.world.model.on("hello").replies("Hello.");
  await place.process(async (first) => {
    await first.prompt("hello");
    await first.stepUntil("settle");
  });
  expect(await place.process((second) => second.run())).toBe("completed");
  expect(asked.map(({ ordinal, attempt }) => [ordinal, attempt])).toEqual([[1, 1]]);
});

test("from a hook that was started and has not answered: it is asked again under its key, as attempt 2", async () => {
  const asked: StopHookInfo[] = [];
  const place = await createPlace({ stopHooks: () => [hookThat(asked)] });
  place.world.model.on("hello").replies("Hello.");
  await place.process(async (first) => {
    await first.prompt("hello");
    await first.stopInside("stop-hook", 1);
  });
  expect(asked).toEqual([]);
  expect(await place.process((second) => second.run())).toBe("completed");
  const { turn } = await place.session();
  expect(asked.map(({ key, attempt }) => [key, attempt])).toEqual([[`${turn?.id}/stop-hook/1`, 2]]);
});

test("from a command that has not run", async () => {
  const place = await createPlace();
  await place.process(async (first) => {
    await first.prompt("/help");
    await first.stepUntil("command");
  });
  expect(await place.process((second) => second.run())).toBe("completed");
  expect(place.world.model.requests).toEqual([]);
});

test("a prompt that is sent again by the next process, because nobody knows whether it arrived, is there once", async () => {
  const place = await createPlace();
  place.world.model.on("hello").replies("Hello.");
  const input = { id: "typed-once", type: "prompt", author: "user", parts: [{ type: "text", text: "hello" }] } as const;
  await place.process((first) => first.send(input));
  await place.process((second) => second.send(input));
  expect(await place.process((third) => third.run())).toBe("completed");
  await place.process((fourth) => fourth.send(input));
  expect(await place.process((fifth) => fifth.run())).toBe("completed");
  expect(await place.transcript()).toMatchInlineSnapshot(`
    "user      hello
    assistant Hello.
    outcome   completed"
  `);
});

function hookThat(asked: StopHookInfo[]) {
  return {
    name: "tests",
    async run(info: StopHookInfo) {
      asked.push(info);
      return { verdict: "allow" as const };
    },
  };
}
