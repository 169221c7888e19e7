/** Approvals with edited arguments: validated again, told to the model, and both versions kept. */
import { expect } from "vitest";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";

story(
  "arguments that a person edits run as edited, the result says so, and the journal keeps both",
  async (agent) => {
    agent.model.on("sum").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on(/edited the arguments.*"b":40/s).replies("Forty it is.");
    await agent.prompt("sum");
    await agent.approve("calculator__add", { args: { a: 2, b: "40" } });
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      sum
      assistant → calculator__add {"a":1,"b":2} (edited to {"a":2,"b":40})
      result    calculator__add ok: The user edited the arguments before approving: {"a":2,"b":40} 42 {"result":42,"total":42}
      assistant Forty it is.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(['add {"a":2,"b":40}']);
    const [settled] = [...(await agent.session()).calls.settled];
    expect(settled).toMatchObject({
      requested: { a: 1, b: 2 },
      args: { a: 2, b: 40 },
      edited: true,
      decision: { by: "user", verdict: "approved", hash: settled?.hash },
    });
    const entries = await agent.entries();
    expect(entries.find((entry) => entry.type === "input" && entry.input.type === "decision")).toMatchObject({
      input: { args: { a: 2, b: "40" } },
    });
  },
  { calculator: "trusted", mode: "ask", cuts: 4 },
);

story(
  "edited arguments that do not fit the schema run nothing and tell the model why",
  async (agent) => {
    agent.model.on("sum").says([call("calculator__add", { a: 1, b: 2 }), call("calculator__reset")]);
    agent.model.on(/cannot run/).replies("Then not.");
    await agent.prompt("sum");
    await agent.approve("calculator__add", { args: { a: "many" } });
    await agent.run();
    expect(agent.outcome).toEqual({ status: "awaiting_approval" });
    await agent.approve("calculator__reset", { args: {} });
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      sum
      assistant → calculator__add {"a":1,"b":2}
                → calculator__reset {}
      result    calculator__add failed(tool_schema): The user edited the arguments, and the edited ones cannot run: arguments.a: must be number; got "many"
      result    calculator__reset ok: 0
      assistant Then not.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(["reset {}"]);
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);

story(
  "arguments that come back as they were asked about are not called edited",
  async (agent) => {
    agent.model.on("clear").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("Three.");
    await agent.prompt("clear");
    await agent.approve("calculator__add", { args: { b: 2, a: 1 } });
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      clear
      assistant → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      assistant Three.
      outcome   completed"
    `);
    expect([...(await agent.session()).calls.settled][0]?.edited).toBeUndefined();
  },
  { calculator: "trusted", mode: "ask", cuts: 1 },
);
