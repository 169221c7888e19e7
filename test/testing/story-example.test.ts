/** The example of docs/testing.md, word for word but for where things are imported from. */
import { expect } from "vitest";
import { claim, createPipeline, defineOperation, pass, standardPipeline } from "../../src/index.ts";
import type { PipelinePorts } from "../../src/index.ts";
import { story } from "../story.ts";

const secondLook = () =>
  defineOperation({
    name: "second-look",
    reads: ["turn", "notes"],
    writes: ["note.set", "message.append"],
    claim: ({ turn, notes }) =>
      turn?.phase === "end" && notes["second-look"]?.data !== turn.id
        ? claim({ turnId: turn.id }, "nobody has looked at the answer again")
        : pass("the turn is not at its end, or was sent back already"),
    async *run({ turnId }, ctx) {
      yield [
        { type: "note.set", operation: "second-look", version: 1, data: turnId },
        {
          type: "message.append",
          message: { id: ctx.newId(), kind: "nudge", parts: [{ type: "text", text: "Look at it once more." }] },
        },
      ];
    },
  });

const withSecondLook = (ports: PipelinePorts) => {
  const { operations } = standardPipeline(ports);
  const end = operations.findIndex(({ name }) => name === "settle");
  return createPipeline(operations.toSpliced(end, 0, secondLook()));
};

story(
  "a turn is looked at once more before it completes, whoever takes the step",
  async (agent) => {
    agent.model.on("add one and two").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("It is 4.");
    agent.model.on("once more").replies("I misread it: it is 3.");
    await agent.prompt("add one and two");
    expect(agent.outcome).toEqual({ status: "completed" });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      add one and two
      assistant → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      assistant It is 4.
      nudge     Look at it once more.
      assistant I misread it: it is 3.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(['add {"a":1,"b":2}']);
    agent.model.assertNothingLeft();
  },
  { calculator: "untrusted", pipeline: withSecondLook },
);
