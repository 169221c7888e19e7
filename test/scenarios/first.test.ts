/** The first stories: what the engine promises, each in one short conversation. */
import { expect } from "vitest";
import { story } from "../story.ts";

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `a call, its result, the answer and the next turn, on ${protocol}`,
    async (agent) => {
      agent.model.on("add one and two").calls("calculator__add", { a: 1, b: 2 });
      agent.model.on("3").replies("The result is 3.");
      agent.model.on("thanks").replies("You are welcome.");
      await agent.prompt("add one and two");
      expect(agent.outcome).toEqual({ status: "completed" });
      await agent.prompt("thanks");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      add one and two
        assistant → calculator__add {"a":1,"b":2}
        result    calculator__add ok: 3 {"result":3,"total":3}
        assistant The result is 3.
        outcome   completed
        user      thanks
        assistant You are welcome.
        outcome   completed"
      `);
      expect(await agent.effects()).toEqual(['add {"a":1,"b":2}']);
      agent.model.assertNothingLeft();
    },
    { protocol, calculator: "untrusted" },
  );
}

story(
  "an approval is asked, the process is gone, the approved call runs once",
  async (agent) => {
    agent.model.on("charge the card").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("Charged.");
    await agent.prompt("charge the card");
    expect(agent.outcome).toEqual({ status: "awaiting_approval" });
    expect(await agent.effects()).toEqual([]);
    await agent.approve(/add/);
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      charge the card
      assistant → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      assistant Charged.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(['add {"a":1,"b":2}']);
  },
  { calculator: "untrusted", mode: "ask" },
);

story(
  "a crash between an effect and its result is told to the model and not repeated",
  async (agent) => {
    agent.model.on("charge the card").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("Charged.");
    agent.model.on("may or may not have taken effect").always().replies("I will look at the ledger first.");
    await agent.prompt("charge the card");
    expect(agent.outcome).toEqual({ status: "completed" });
    const { calls } = await agent.session();
    const statuses = [...calls.settled].map(({ status }) => status);
    const cut = agent.cut?.calls.length === 1;
    expect(statuses).toEqual([cut ? "unknown" : "succeeded"]);
    expect(agent.report?.text).toBe(cut ? "I will look at the ledger first." : "Charged.");
    expect(agent.everyEffect()).toEqual(cut && agent.cut?.when === "after" ? [] : ['add {"a":1,"b":2}']);
  },
  { calculator: "untrusted" },
);

story("a provider that asks for patience gets it, and the turn goes on", async (agent) => {
  agent.model.on("hello").fails({ status: 429, retryAfterSeconds: 20 });
  agent.model.on("hello").replies("Hello, at last.");
  const before = agent.clock.now();
  await agent.prompt("hello");
  expect(agent.outcome).toEqual({ status: "completed" });
  expect(agent.clock.now() - before).toBe(20_000);
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      hello
    error     (user only) (model_rate_limited) anthropic answered 429: The fake model fails as its script says
    notice    (user only) The model request failed: anthropic answered 429: The fake model fails as its script says. Attempt 2 of 4 follows in 20 s, at <time>.
    assistant Hello, at last.
    outcome   completed"
  `);
  agent.model.assertNothingLeft();
});

story("a cancel while the model speaks keeps what it said, and the next prompt works", async (agent) => {
  agent.model.on("tell me a story").replies(["Once upon ", "a time"]).hold({ after: 1 });
  agent.model.on("never mind").replies("Very well.");
  const running = agent.start("tell me a story");
  await running.shown("Once upon");
  await agent.cancel();
  await running;
  expect(agent.outcome).toEqual({ status: "cancelled" });
  await agent.prompt("never mind");
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      tell me a story
    assistant Once upon
    notice    The user interrupted this turn.
    outcome   cancelled
    user      never mind
    assistant Very well.
    outcome   completed"
  `);
});

story(
  "a coding task with the built-in tools",
  async (agent) => {
    agent.model.on("fix the greeting").calls("read", { path: "greeting.txt" });
    agent.model.on("helo").calls("edit", { path: "greeting.txt", oldText: "helo", newText: "hello" });
    agent.model.on("greeting.txt").calls("bash", { command: "cat greeting.txt" });
    agent.model.on("exit code 0").replies("It says hello now.");
    await agent.prompt("fix the greeting");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      fix the greeting
      assistant → read {"path":"greeting.txt"}
      result    read ok: 1	helo world
      assistant → edit {"newText":"hello","oldText":"helo","path":"greeting.txt"}
      result    edit ok: Edited greeting.txt: 1 replacement.
                @@ -1,1 +1,1 @@
                -helo world
                +hello world
      assistant → bash {"command":"cat greeting.txt"}
      result    bash ok: hello world
                [exit code 0]
      assistant It says hello now.
      outcome   completed"
    `);
    expect(await agent.read("greeting.txt")).toBe("hello world\n");
  },
  { files: { "greeting.txt": "helo world\n" }, mode: "auto" },
);
