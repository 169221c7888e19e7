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
