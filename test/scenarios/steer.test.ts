/** Steers: words to a running turn, which reach the model at the next boundary, in their order, and start nothing. */
import { expect } from "vitest";
import { call, handMadeTool } from "../../src/testing/index.ts";
import type { Props } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sendFromElsewhere, words } from "./elsewhere.ts";
import { sent } from "./sent.ts";

const slow = (props: Props) =>
  handMadeTool({
    name: "dig",
    readOnly: true,
    idempotent: true,
    touches: [],
    run: async (_args, { signal }) => {
      await props.gate("digging").wait(signal);
      return "a hole";
    },
  });

story(
  "steers reach the model after the results of the calls that ran, in their order, whoever sent them",
  async (agent) => {
    agent.model.on("dig").says([call("dig"), call("dig")]);
    agent.model.on("a hole").replies("Deeper it is.");
    const running = agent.start("dig two holes");
    await running.reached(agent.gate("digging"));
    await agent.steer("deeper");
    await sendFromElsewhere(agent, { type: "steer", parts: words("and wider") }, "ada");
    await agent.steer("but not there");
    agent.gate("digging").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      dig two holes
      assistant → dig {}
                → dig {}
      result    dig ok: a hole
      result    dig ok: a hole
      steer     deeper
      steer     and wider
      steer     but not there
      assistant Deeper it is.
      outcome   completed"
    `);
    expect(sent(agent.requests().at(-1))).toMatchInlineSnapshot(`
      "user: dig two holes
      assistant: dig {} | dig {}
      user: result a hole | result a hole | deeper | and wider | but not there"
    `);
    const steers = [...(await agent.session()).messages].filter(({ kind }) => kind === "steer");
    expect(steers.map(({ by }) => by)).toEqual(["user", "ada", "user"]);
  },
  { tools: (props) => [slow(props)], cuts: 3 },
);

story(
  "a steer while a call waits for approval comes after its result, and survives until then",
  async (agent) => {
    agent.model.on("pay").calls("calculator__reset");
    agent.model.on("0").replies("Paid in euros.");
    await agent.prompt("pay");
    await agent.steer("in euros");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      pay
      assistant → calculator__reset {}
      asks      calculator__reset {} (mode ask asks before tools that may do anything)
      pending   steer in euros
      outcome   awaiting_approval"
    `);
    await agent.approve("calculator__reset");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      pay
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      steer     in euros
      assistant Paid in euros.
      outcome   completed"
    `);
    expect(agent.requests()).toHaveLength(2);
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);

story(
  "a steer while the model gives its last answer makes the turn go on",
  async (agent) => {
    const hold = agent.model.on("hello").replies(["Hello", "."]).hold({ after: 1 });
    agent.model.on("in French").replies("Bonjour.");
    const running = agent.start("hello");
    await running.shown("Hello");
    await agent.steer("in French");
    hold.release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      steer     in French
      assistant Bonjour.
      outcome   completed"
    `);
    if (agent.cut === undefined) expect((await agent.session()).turn?.inferences).toBe(2);
  },
  { cuts: 4 },
);

story(
  "a steer that is withdrawn before the boundary never arrives, and can no longer be withdrawn after it",
  async (agent) => {
    agent.model.on("dig").calls("dig");
    agent.model.on("a hole").replies("Dug.");
    const running = agent.start("dig");
    await running.reached(agent.gate("digging"));
    const wrong = await agent.steer("to the left");
    const right = await agent.steer("to the right");
    await agent.withdraw(wrong);
    agent.gate("digging").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      dig
      assistant → dig {}
      result    dig ok: a hole
      steer     to the right
      assistant Dug.
      outcome   completed"
    `);
    expect(sent(agent.requests().at(-1))).not.toContain("left");
    await expect(agent.withdraw(right)).rejects.toMatchObject({ name: "InputError", reason: "settled-target" });
  },
  { tools: (props) => [slow(props)], cuts: 3 },
);

story(
  "a steer with no open turn starts none, and enters just before the next prompt",
  async (agent) => {
    agent.model.on(/in French\nhello again/).replies("Bonjour.");
    agent.model.on(/and be brief\nhello/).replies("Hello.");
    await agent.steer("in French");
    await agent.run();
    expect(agent.requests()).toHaveLength(0);
    await agent.prompt("hello again");
    await agent.steer("and be brief");
    await agent.run();
    expect(agent.requests()).toHaveLength(1);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "steer     in French
      user      hello again
      assistant Bonjour.
      pending   steer and be brief
      outcome   completed"
    `);
    await agent.prompt("hello");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "steer     in French
      user      hello again
      assistant Bonjour.
      outcome   completed
      steer     and be brief
      user      hello
      assistant Hello.
      outcome   completed"
    `);
  },
  { cuts: 3 },
);

story(
  "a steer is never a command, whenever it comes, and neither is a prompt that follows one",
  async (agent) => {
    agent.model.on("dig").calls("dig");
    agent.model.on("a hole").replies("I cannot help with that.");
    const running = agent.start("dig");
    await running.reached(agent.gate("digging"));
    await agent.steer("/help");
    agent.gate("digging").release();
    await running;
    expect(agent.requests().at(-1)?.newest).toBe("a hole\n/help");
    await agent.prompt("/help");
    expect(agent.requests()).toHaveLength(2);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      dig
      assistant → dig {}
      result    dig ok: a hole
      steer     /help
      assistant I cannot help with that.
      outcome   completed
      user      /help
      notice    (user only) /help: List the commands
                /skills: List the skills that can be loaded, where they come from, and what is wrong with others
      outcome   completed"
    `);
  },
  { tools: (props) => [slow(props)], cuts: 3 },
);

story(
  "a steer does not reset the budget of its turn",
  async (agent) => {
    agent.model.on("one").calls("calculator__reset");
    agent.model.on("0").replies(["Two", "."]).hold({ after: 1 });
    const running = agent.start("one");
    await running.shown("Two");
    await agent.steer("three");
    agent.model.releaseAll();
    await running;
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Two.
      steer     three
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2"
    `);
    expect((await agent.session()).inputs).toEqual([]);
  },
  { calculator: "trusted", limits: { inferences: 2 }, cuts: 3 },
);
