/** Continue: goes on where the last turn stopped, with what it has spent, and does nothing where nothing is left. */
import { expect } from "vitest";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sent } from "./sent.ts";

story(
  "a cancelled turn is gone on with, without a new prompt, after whatever it had done",
  async (agent) => {
    agent.model.on("work").says([call("calculator__reset"), call("calculator__add", { a: 1, b: 2 })]);
    agent.model.on(/interrupted/).replies("Where was I? Done.");
    await agent.prompt("work");
    await agent.cancel();
    await agent.run();
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "completed" });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant → calculator__reset {}
                → calculator__add {"a":1,"b":2}
      result    calculator__reset interrupted(interrupted): The user interrupted this turn. It was not started.
      result    calculator__add interrupted(interrupted): The user interrupted this turn. It was not started.
      notice    The user interrupted this turn.
      outcome   cancelled
      assistant Where was I? Done.
      outcome   completed"
    `);
    const { turn } = await agent.session();
    expect(turn).toMatchObject({ continues: expect.any(String), inferences: 2 });
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `a reply that was cancelled in mid-sentence is gone on with, on ${protocol}`,
    async (agent) => {
      agent.model.on("tell me").replies(["Once upon ", "a time"]).hold({ after: 1 });
      agent.model.on("interrupted").replies("a time, there was a continue.");
      const running = agent.start("tell me");
      await running.shown("Once upon");
      await agent.cancel();
      await running;
      await agent.continue();
      await agent.run();
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      tell me
        assistant Once upon
        notice    The user interrupted this turn.
        outcome   cancelled
        assistant a time, there was a continue.
        outcome   completed"
      `);
      expect(sent(agent.requests().at(-1))).toContain("Once upon");
    },
    { protocol, cuts: 2 },
  );
}

story(
  "a turn that failed is gone on with, and may fail as often again",
  async (agent) => {
    agent.model.on("hello").fails({ status: 401 });
    agent.model.on("hello").fails({ status: 529 });
    agent.model.on("hello").replies("Hello, at last.");
    await agent.prompt("hello");
    expect(agent.outcome).toMatchObject({ status: "failed", error: { kind: "model_auth" } });
    await agent.continue();
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_auth) anthropic answered 401: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 401: The fake model fails as its script says. Check the API key that is configured for this provider and that it may use this model.
      outcome   failed(model_auth): The model request failed: anthropic answered 401: The fake model fails as its script says.
      error     (user only) (model_overloaded) anthropic answered 529: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 529: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
      assistant Hello, at last.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { cuts: 3 },
);

story(
  "a turn that used up its budget goes on only when the budget is raised, and what it had spent counts",
  async (agent) => {
    agent.model.on("work").calls("calculator__reset");
    agent.model.on("0").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("Three.");
    await agent.prompt("work");
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    expect(agent.requests()).toHaveLength(2);
    await agent.configure({ limits: { inferences: 3 } });
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "completed" });
    expect((await agent.session()).turn?.inferences).toBe(3);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2
      assistant Three.
      outcome   completed"
    `);
  },
  { calculator: "trusted", limits: { inferences: 2 }, cuts: 4 },
);

story(
  "a cancelled turn does not get a new budget by being gone on with",
  async (agent) => {
    agent.model.on("work").calls("calculator__reset");
    agent.model.on("0").replies(["Nearly ", "done."]).hold({ after: 1 });
    agent.model.on("interrupted").calls("calculator__total");
    const running = agent.start("work");
    await running.shown("Nearly ");
    await agent.cancel();
    await running;
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Nearly
      notice    The user interrupted this turn.
      outcome   cancelled
      assistant → calculator__total {}
      result    calculator__total ok: 0
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2"
    `);
  },
  { calculator: "trusted", limits: { inferences: 2 }, cuts: 3 },
);

story(
  "a session that has completed has nothing to continue: the same is reported, and the model is not asked",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("hello");
    const report = agent.report;
    const before = await agent.session();
    await agent.continue();
    await agent.continue();
    expect(await agent.run()).toEqual(report);
    const after = await agent.session();
    expect([after.turn, after.messages.length, after.inputs]).toEqual([before.turn, before.messages.length, []]);
    expect(agent.requests()).toHaveLength(1);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      outcome   completed"
    `);
  },
  { cuts: 2 },
);

story(
  "a refusal is an answer: it is not continued either",
  async (agent) => {
    agent.model.on("hello").replies("I would rather not.", { stop: "refusal" });
    await agent.prompt("hello");
    const report = agent.report;
    await agent.continue();
    expect(await agent.run()).toEqual(report);
    expect(agent.outcome).toMatchObject({ status: "refused" });
    expect(agent.requests()).toHaveLength(1);
  },
  { cuts: 1 },
);

story(
  "two continues go on once",
  async (agent) => {
    agent.model.on("hello").fails({ status: 401 });
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("hello");
    await agent.continue();
    await agent.continue();
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_auth) anthropic answered 401: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 401: The fake model fails as its script says. Check the API key that is configured for this provider and that it may use this model.
      outcome   failed(model_auth): The model request failed: anthropic answered 401: The fake model fails as its script says.
      assistant Hello.
      outcome   completed"
    `);
    expect((await agent.session()).inputs).toEqual([]);
  },
  { cuts: 3 },
);
