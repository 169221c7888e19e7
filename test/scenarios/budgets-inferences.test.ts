/** The budget of model calls: exactly so many happen, and what ends for another reason is no budget stop. */
import { expect } from "vitest";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";

const reminders = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => /\d+ of \d+ model calls are left|This is the last model call/.exec(text)?.[0] ?? "none");

story(
  "with three model calls exactly three happen, the calls of the last one run, and the model is told in time",
  async (agent) => {
    agent.model.on("count").calls("calculator__add", { a: 1, b: 0 });
    agent.model.otherwise().calls("calculator__add", { a: 1 });
    await agent.prompt("count");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      count
      assistant → calculator__add {"a":1,"b":0}
      result    calculator__add ok: 1 {"result":1,"total":1}
      assistant → calculator__add {"a":1}
      result    calculator__add ok: 2 {"result":2,"total":2}
      assistant → calculator__add {"a":1}
      result    calculator__add ok: 3 {"result":3,"total":3}
      notice    (user only) Stopped at the limit of model calls: 3 of 3 were used. Raise the limit and continue to go on.
      outcome   budget inferences 3 of 3"
    `);
    expect(await agent.effects()).toEqual(['add {"a":1,"b":0}', 'add {"a":1}', 'add {"a":1}']);
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 3, limit: 3 });
  },
  { calculator: "untrusted", limits: { inferences: 3 }, cuts: 4 },
);

story(
  "without a higher limit a continue stops again and asks nothing; with one it goes on where it stopped",
  async (agent) => {
    agent.model.on("count").calls("calculator__total");
    agent.model.on("0").calls("calculator__slow", { milliseconds: 0 });
    agent.model.on("waited").replies("Done.");
    await agent.prompt("count");
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 1, limit: 1 });
    expect(agent.requests()).toHaveLength(1);
    await agent.configure({ limits: { inferences: 2 } });
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    await agent.configure({ limits: { inferences: 3 } });
    await agent.continue();
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      count
      assistant → calculator__total {}
      result    calculator__total ok: 0
      notice    (user only) Stopped at the limit of model calls: 1 of 1 were used. Raise the limit and continue to go on.
      outcome   budget inferences 1 of 1
      notice    (user only) Stopped at the limit of model calls: 1 of 1 were used. Raise the limit and continue to go on.
      outcome   budget inferences 1 of 1
      assistant → calculator__slow {"milliseconds":0}
      result    calculator__slow ok: waited 0 ms
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2
      assistant Done.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { calculator: "trusted", limits: { inferences: 1 }, cuts: 5 },
);

story(
  "a finished answer with the last model call is no budget stop, and every prompt has a budget of its own",
  async (agent) => {
    agent.model.on("one").calls("calculator__total");
    agent.model.on("0").replies("Zero.");
    agent.model.on("two").calls("calculator__slow", { milliseconds: 0 });
    agent.model.on("waited").replies("Waited.");
    await agent.prompt("one");
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant → calculator__total {}
      result    calculator__total ok: 0
      assistant Zero.
      outcome   completed
      user      two
      assistant → calculator__slow {"milliseconds":0}
      result    calculator__slow ok: waited 0 ms
      assistant Waited.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { calculator: "trusted", limits: { inferences: 2 }, cuts: 4 },
);

story(
  "failed attempts, replies that break off and empty replies are no model calls of the budget",
  async (agent) => {
    agent.model.on("hello").fails({ status: 529 });
    agent.model.on("hello").replies("Hel", { fault: { type: "early-end", after: 1 } });
    agent.model.on("hello").says([]);
    agent.model.on("empty").fails({ status: 503 });
    agent.model.on("empty").says([call("calculator__total")]);
    await agent.prompt("hello");
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 1, limit: 1 });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_overloaded) anthropic answered 529: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 529: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
      error     (user only) H
                [this reply was cut off and abandoned] (model_unavailable) anthropic closed the stream before the reply was complete
      notice    (user only) The model request failed: anthropic closed the stream before the reply was complete. Attempt 3 of 4 follows in 2 s, at <time>.
      assistant (empty)
      nudge     (model only) Your last reply was empty. Answer, or call a tool.
      error     (user only) (model_overloaded) anthropic answered 503: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 503: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
      assistant → calculator__total {}
      result    calculator__total ok: 0
      notice    (user only) Stopped at the limit of model calls: 1 of 1 were used. Raise the limit and continue to go on.
      outcome   budget inferences 1 of 1"
    `);
    agent.model.assertNothingLeft();
  },
  { calculator: "trusted", limits: { inferences: 1 }, cuts: 4 },
);

story(
  "the model is told when few of its calls are left, and not before",
  async (agent) => {
    for (let step = 1; step <= 5; step += 1)
      agent.model.on(/count|waited/).calls("calculator__slow", { milliseconds: 0 });
    agent.model.on("waited").replies("Done.");
    await agent.prompt("count");
    expect(reminders(agent.requests().map(({ newest }) => newest))).toMatchInlineSnapshot(`
      [
        "none",
        "none",
        "none",
        "3 of 6 model calls are left",
        "2 of 6 model calls are left",
        "This is the last model call",
      ]
    `);
    expect(await agent.transcript()).not.toContain("model calls are left");
  },
  { calculator: "trusted", limits: { inferences: 6 }, cuts: 3 },
);

story(
  "a steer does not refill the budget",
  async (agent) => {
    const hold = agent.model.on("count").calls("calculator__total").hold();
    agent.model.on("faster").calls("calculator__slow", { milliseconds: 0 });
    const running = agent.start("count");
    await running.reached(hold);
    await agent.steer("faster");
    hold.release();
    await running;
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      count
      assistant → calculator__total {}
      result    calculator__total ok: 0
      steer     faster
      assistant → calculator__slow {"milliseconds":0}
      result    calculator__slow ok: waited 0 ms
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2"
    `);
  },
  { calculator: "trusted", limits: { inferences: 2 }, cuts: 4 },
);
