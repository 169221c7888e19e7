/** A model that calls tools wrongly again and again is stopped, one that finds its way is not. */
import { expect } from "vitest";
import { call, handMadeTool } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { SAFE } from "./tool-kit.ts";

story(
  "five replies in a row without one call that can run end the turn, and the next turn counts anew",
  async (agent) => {
    agent.model.on("go").calls("calculator__add", { a: "one" });
    agent.model.on("do not fit").calls("add two numbers", { a: 1 });
    agent.model.on("not available").says([call("read", {}), call("nowhere")]);
    agent.model.on("do not fit").says([call("bash", {}, { rawInput: "ls" })]);
    agent.model.on("not a JSON object").calls("calculator__add", [1, 2]);
    agent.model.on("again").calls("calculator__add", {});
    agent.model.on("do not fit").replies("I give up.");
    await agent.prompt("go");
    expect(agent.outcome).toMatchObject({ status: "failed", error: { kind: "model_invalid_output" } });
    await agent.prompt("again");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → calculator__add {"a":"one"}
      result    calculator__add failed(tool_schema): The arguments do not fit the tool calculator__add: arguments.a: must be number; got "one"
      assistant → add two numbers {"a":1}
      result    add two numbers failed(tool_unavailable): The tool "add two numbers" is not available. Tools you can call: bash, calculator__add, calculator__ask, calculator__audience, calculator__barrier, calculator__big, calculator__binary, calculator__crash, calculator__divide, calculator__fail, calculator__grow, calculator__hang, calculator__image, calculator__links, calculator__lone_surrogate, calculator__multiply, calculator__nothing, calculator__repeat, calculator__reset, calculator__roots, calculator__slow, calculator__subtract, calculator__total, calculator__user_only, edit, glob, grep, list, read, write.
      assistant → read {}
                → nowhere {}
      result    read failed(tool_schema): The arguments do not fit the tool read: arguments: must have the property "path"; got {}
      result    nowhere failed(tool_unavailable): The tool "nowhere" is not available. Tools you can call: bash, calculator__add, calculator__ask, calculator__audience, calculator__barrier, calculator__big, calculator__binary, calculator__crash, calculator__divide, calculator__fail, calculator__grow, calculator__hang, calculator__image, calculator__links, calculator__lone_surrogate, calculator__multiply, calculator__nothing, calculator__repeat, calculator__reset, calculator__roots, calculator__slow, calculator__subtract, calculator__total, calculator__user_only, edit, glob, grep, list, read, write.
      assistant → bash (raw) ls
      result    bash failed(tool_schema): The arguments are not a JSON object: ls
      assistant → calculator__add (raw) [1,2]
      result    calculator__add failed(tool_schema): The arguments are not a JSON object: [1,2]
      outcome   failed(model_invalid_output): The model called tools wrongly in 5 replies in a row; the last errors are in the conversation.
      user      again
      assistant → calculator__add {}
      result    calculator__add failed(tool_schema): The arguments do not fit the tool calculator__add: arguments: must have the property "a"; got {}
      assistant I give up.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { calculator: "trusted", cuts: 3 },
);

story(
  "a call that runs in between begins the count of wrong replies anew",
  async (agent) => {
    agent.model.on("go").calls("count", { n: "many" });
    agent.model.on("do not fit").times(3).calls("count", { n: "many" });
    agent.model.on("do not fit").says([call("count", { n: "many" }), call("count", { n: 1 })]);
    agent.model.on("counted").calls("count", { n: "many" });
    agent.model.on("do not fit").times(3).calls("count", { n: "many" });
    agent.model.on("do not fit").replies("Nine were wrong.");
    await agent.prompt("go");
    expect(agent.outcome).toEqual({ status: "completed" });
    expect([...(await agent.session()).calls.settled].map(({ status }) => status)).toHaveLength(10);
    agent.model.assertNothingLeft();
  },
  {
    tools: () => [
      handMadeTool({
        ...SAFE,
        name: "count",
        inputSchema: { type: "object", properties: { n: { type: "integer" } } },
        run: () => "counted",
      }),
    ],
    cuts: 2,
  },
);
