/** Results of one reply: each is stored when it lands, and the model gets them in the order of its calls. */
import { expect } from "vitest";
import { call, handMadeTool } from "../../src/testing/index.ts";
import type { HandMadeTool, Props } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { resultsSent, SAFE } from "./tool-kit.ts";

/** Waits at the gate of its own name. */
const waiting = (props: Props, tool: Omit<HandMadeTool, "run">) =>
  handMadeTool({
    ...SAFE,
    ...tool,
    async run(_args, { signal }) {
      props.count(tool.name);
      await props.gate(tool.name).wait(signal);
      return `${tool.name} is done`;
    },
  });

story(
  "a result that has landed is stored while its siblings still run, and is not lost with the process",
  async (agent) => {
    agent.model.on("go").says([call("slow"), call("quick"), call("after_quick")]);
    agent.model.on("slow is done").replies("All three.");
    agent.gate("quick").release();
    const running = agent.start("go");
    await running.reached(agent.gate("after_quick"));
    const { calls } = await agent.session();
    expect([...calls.settled].map(({ tool, status }) => [tool, status])).toEqual([["quick", "succeeded"]]);
    expect([...calls.open.values()].map(({ tool, status }) => [tool, status])).toEqual([
      ["slow", "dispatched"],
      ["after_quick", "dispatched"],
    ]);
    agent.gate("slow").release();
    agent.gate("after_quick").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → slow {}
                → quick {}
                → after_quick {}
      result    slow ok: slow is done
      result    quick ok: quick is done
      result    after_quick ok: after_quick is done
      assistant All three.
      outcome   completed"
    `);
    expect(resultsSent(agent)).toEqual(["slow is done", "quick is done", "after_quick is done"]);
    const landed = [...(await agent.session()).calls.settled].map(({ tool }) => tool);
    expect(landed[0]).toBe("quick");
  },
  {
    tools: (props) => [
      waiting(props, { name: "slow" }),
      waiting(props, { name: "quick", readOnly: false, touches: ["server:quick"] }),
      waiting(props, { name: "after_quick", touches: ["server:quick"] }),
    ],
  },
);

story(
  "every result is a commit of its own, and what had landed before a kill is not run again",
  async (agent) => {
    agent.model.on("go").says(["one", "two", "three", "four"].map((name) => call(name)));
    agent.model.on("four is done").replies("Four.");
    for (const name of ["one", "two", "three", "four"]) agent.gate(name).release();
    await agent.prompt("go");
    const commits = (await agent.entries()).filter(
      (entry) => entry.type === "commit" && entry.effects.some(({ type }) => type === "call.settle"),
    );
    expect(commits).toHaveLength(4);
    const { calls } = await agent.session();
    for (const { tool, attempts } of calls.settled) {
      expect([tool, agent.counted(tool)]).toEqual([tool, expectedRuns(attempts, agent.counted(tool))]);
    }
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → one {}
                → two {}
                → three {}
                → four {}
      result    one ok: one is done
      result    two ok: two is done
      result    three ok: three is done
      result    four ok: four is done
      assistant Four.
      outcome   completed"
    `);
    expect(resultsSent(agent)).toEqual(["one", "two", "three", "four"].map((name) => `${name} is done`));
  },
  { tools: (props) => ["one", "two", "three", "four"].map((name) => waiting(props, { name })) },
);

/** A dispatch is committed before it begins: the kill may have come in between. */
function expectedRuns(attempts: number, counted: number): number {
  return attempts === 2 && counted === 1 ? 1 : attempts;
}

story(
  "a call that failed leaves its siblings alone",
  async (agent) => {
    agent.model.on("go").says([call("calculator__fail"), call("read", { path: "none" }), call("calculator__total")]);
    agent.model.on("it failed").replies("One of three.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → calculator__fail {}
                → read {"path":"none"}
                → calculator__total {}
      result    calculator__fail failed(tool_failed): it failed
      result    read failed(tool_failed): "none" does not exist. Use glob or list to find it.
      result    calculator__total ok: 0
      assistant One of three.
      outcome   completed"
    `);
  },
  { calculator: "trusted", cuts: 2 },
);
