/** A cancel while nothing, or nothing that can be stopped, is going on: before the start, while waiting, between steps. */
import { expect } from "vitest";
import type { Models } from "../../src/core/model.ts";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import type { PipelinePorts } from "../../src/operations/pipeline.ts";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sendFromElsewhere } from "./elsewhere.ts";

story(
  "a cancel while calls wait for approval answers all of them and runs none",
  async (agent) => {
    agent.model
      .on("pay")
      .says([call("calculator__add", { a: 1 }), call("calculator__reset"), call("calculator__total")]);
    agent.model.on("never mind").replies("Very well.");
    await agent.prompt("pay");
    await agent.approve("calculator__add");
    await sendFromElsewhere(agent, { type: "cancel" });
    expect((await agent.session()).calls.open.size).toBe(2);
    await agent.run();
    expect(agent.outcome).toEqual({ status: "cancelled" });
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      pay
      assistant → calculator__add {"a":1}
                → calculator__reset {}
                → calculator__total {}
      result    calculator__add interrupted(interrupted): The user interrupted this turn. It was not started.
      result    calculator__reset interrupted(interrupted): The user interrupted this turn. It was not started.
      result    calculator__total ok: 0
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(["total {}"]);
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);

story(
  "a cancel while a failed request waits for its next attempt ends the wait",
  async (agent) => {
    const sleep = agent.clock.hold();
    agent.model.on("hello").fails({ status: 429, retryAfterSeconds: 300 });
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("hello");
    await running.reached(sleep);
    expect((await agent.session()).timers).toHaveLength(1);
    await agent.cancel();
    await running;
    expect(agent.outcome).toEqual({ status: "cancelled" });
    expect(agent.clock.now()).toBe(Date.UTC(2026, 0, 1));
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_rate_limited) anthropic answered 429: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 429: The fake model fails as its script says. Attempt 2 of 4 follows in 300 s, at <time>.
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
    expect(agent.requests()).toHaveLength(2);
  },
  { cuts: 3 },
);

story(
  "a cancel before anything has started holds what was said before it, and what is said after it runs",
  async (agent) => {
    agent.model.on("one").replies("First.");
    agent.model.on("two").replies("Second.");
    await agent.queue("one");
    await agent.cancel();
    await agent.run();
    expect(agent.requests()).toHaveLength(0);
    expect((await agent.session()).inputs.map(({ held }) => held)).toEqual([true]);
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { cuts: 3 },
);

story(
  "a cancel that comes with a later prompt leads to the same as one that was taken in before it",
  async (agent) => {
    agent.model.on("one").replies("First.");
    agent.model.on("two").replies("Second.");
    await agent.queue("one");
    await agent.cancel();
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed"
    `);
  },
  { cuts: 3 },
);

story(
  "a run that is aborted before it begins asks the model nothing",
  async (agent) => {
    agent.model.on("one").replies("First.");
    agent.model.on("two").replies("Second.");
    const running = agent.start("one");
    running.abort();
    await running;
    expect(agent.requests()).toHaveLength(0);
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed"
    `);
  },
  { cuts: 0 },
);

story(
  "a cancel while a stop hook judges the end makes it a cancel, and the hook is not asked again",
  async (agent) => {
    agent.model.on("work").replies("Done.");
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("work");
    await running.reached(agent.gate("judging"));
    await agent.cancel();
    agent.gate("judging").release();
    await running;
    expect(agent.outcome).toEqual({ status: "cancelled" });
    if (agent.mode !== "killed") expect(agent.counted("judged")).toBe(1);
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant Done.
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
  },
  {
    stopHooks: (props) => [
      {
        name: "judge",
        run: async () => {
          props.count("judged");
          await props.gate("judging").wait(new AbortController().signal);
          return { verdict: props.counted("judged") === 1 ? "deny" : "allow", reason: "Look again." };
        },
      },
    ],
    cuts: 3,
  },
);

/** A model that says one word and then neither goes on nor listens, as often as it is asked to `hang`. */
const deaf =
  (others: Models): Models =>
  async (name) => {
    const model = await others(name);
    return {
      ...model,
      async *stream(request, signal) {
        if (!JSON.stringify(request.messages.at(-1)).includes("hang")) return yield* model.stream(request, signal);
        yield { type: "text-delta", id: "1", text: "Well" };
        await new Promise(() => undefined);
      },
    };
  };

story(
  "a model that ignores the cancel is not waited for, and what it had said is kept",
  async (agent) => {
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("hang");
    await running.shown("Well");
    await agent.cancel();
    await running;
    expect(agent.outcome).toEqual({ status: "cancelled" });
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hang
      assistant Well
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
  },
  { pipeline: (ports: PipelinePorts) => standardPipeline({ ...ports, models: deaf(ports.models) }), cuts: 0 },
);
