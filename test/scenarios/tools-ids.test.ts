/** Ids of calls: those of a provider may repeat, ours never do. */
import { expect } from "vitest";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { isCut, resultsSent } from "./tool-kit.ts";

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `a call id that is repeated within one reply runs once, on ${protocol}`,
    async (agent) => {
      agent.model
        .on("go")
        .says([
          call("calculator__add", { a: 1, b: 0 }, { id: "call_1" }),
          call("calculator__add", { a: 1, b: 0 }, { id: "call_1" }),
          call("calculator__add", { a: 7, b: 0 }, { id: "call_1" }),
          call("calculator__add", { a: 1, b: 0 }, { id: "call_2" }),
        ]);
      agent.model.on("result").replies("Two calls.");
      await agent.prompt("go");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → calculator__add {"a":1,"b":0}
                  → calculator__add {"a":1,"b":0}
        result    calculator__add ok: 1 {"result":1,"total":1}
        result    calculator__add ok: 1 {"result":1,"total":1}
        assistant Two calls.
        outcome   completed"
      `);
      expect(await agent.effects()).toEqual(['add {"a":1,"b":0}', 'add {"a":1,"b":0}']);
      agent.model.assertNothingLeft();
    },
    { protocol, calculator: "untrusted", cuts: 3 },
  );

  story(
    `an id that was used in an earlier reply is a new call, on ${protocol}`,
    async (agent) => {
      const again = { id: "call_1" };
      agent.model.on("go").says([call("calculator__add", { a: 1, b: 0 }, again)]);
      agent.model.on("1").says([call("calculator__add", { a: 2, b: 0 }, again)]);
      agent.model.on("2").replies("Two calls.");
      agent.model.on("next turn").says([call("calculator__add", { a: 3, b: 0 }, again)]);
      agent.model.on("3").replies("Three calls.");
      await agent.prompt("go");
      await agent.prompt("next turn");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → calculator__add {"a":1,"b":0}
        result    calculator__add ok: 1 {"result":1,"total":1}
        assistant → calculator__add {"a":2,"b":0}
        result    calculator__add ok: 2 {"result":2,"total":2}
        assistant Two calls.
        outcome   completed
        user      next turn
        assistant → calculator__add {"a":3,"b":0}
        result    calculator__add ok: 3 {"result":3,"total":3}
        assistant Three calls.
        outcome   completed"
      `);
      expect(await agent.effects()).toEqual(['add {"a":1,"b":0}', 'add {"a":2,"b":0}', 'add {"a":3,"b":0}']);
      const sent =
        agent
          .requests()
          .at(-1)
          ?.messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)) ?? [];
      expect(sent).toHaveLength(3);
      expect(new Set(sent).size).toBe(3);
      for (const id of sent) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    },
    { protocol, calculator: "untrusted", cuts: 3 },
  );

  story(
    `calls without an id are all made, and no id is sent back as it came, on ${protocol}`,
    async (agent) => {
      agent.model
        .on("go")
        .says([
          call("calculator__add", { a: 1, b: 0 }, { id: "" }),
          call("calculator__add", { a: 2, b: 0 }, { id: "" }),
          call("calculator__add", { a: 3, b: 0 }, { id: "an id: with spaces, ünicode \ud83d" }),
          call("calculator__add", { a: 4, b: 0 }, { id: "  " }),
          call("calculator__add", { a: 5, b: 0 }, { id: "x".repeat(300) }),
        ]);
      agent.model.on("5").replies("Five calls.");
      await agent.prompt("go");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → calculator__add {"a":1,"b":0}
                  → calculator__add {"a":2,"b":0}
                  → calculator__add {"a":3,"b":0}
                  → calculator__add {"a":4,"b":0}
                  → calculator__add {"a":5,"b":0}
        result    calculator__add ok: 1 {"result":1,"total":1}
        result    calculator__add ok: 2 {"result":2,"total":2}
        result    calculator__add ok: 3 {"result":3,"total":3}
        result    calculator__add ok: 4 {"result":4,"total":4}
        result    calculator__add ok: 5 {"result":5,"total":5}
        assistant Five calls.
        outcome   completed"
      `);
      expect(await agent.effects()).toEqual([1, 2, 3, 4, 5].map((a) => `add {"a":${a},"b":0}`));
      if (!isCut(agent)) expect(resultsSent(agent)).toHaveLength(5);
      agent.model.assertNothingLeft();
    },
    { protocol, calculator: "untrusted", cuts: 2 },
  );
}
