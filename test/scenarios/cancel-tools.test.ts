/** A cancel while tools run: they are told and stopped, their children too, and what was done stays done. */
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { call, handMadeTool } from "../../src/testing/index.ts";
import type { Props } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { elsewhere, sendFromElsewhere, told } from "./elsewhere.ts";

/** Those that still run; one that has ended and waits for its parent to notice does not. */
function running(pids: readonly number[]): readonly number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=,stat=", "-p", pids.join(",")], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.trim() !== "" && !line.includes("Z"));
  return lines.map((line) => Number.parseInt(line, 10));
}

story(
  "a cancel while a command runs ends it with all of its children, and keeps what it printed",
  async (agent) => {
    const command = "sleep 300 & (setsid sleep 300 & echo $! >> pids); echo $$ $! >> pids; echo working; wait";
    agent.model.on("build").calls("bash", { command });
    agent.model.on("never mind").replies("Very well.");
    const run = agent.start("build");
    await run.shown("working");
    const pids = (await agent.read("pids")).split(/\s+/).filter(Boolean).map(Number);
    expect(pids).toHaveLength(3);
    expect(running(pids)).toHaveLength(3);
    await agent.cancel();
    await run;
    expect(running(pids)).toEqual([]);
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      build
      assistant → bash {"command":"sleep 300 & (setsid sleep 300 & echo $! >> pids); echo $$ $! >> pids; echo working; wait"}
      result    bash interrupted(interrupted): working
                [cancelled and killed before it was done]
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
  },
  { cuts: 1 },
);

story(
  "a cancel while a server works on a call is told to that server",
  async (agent) => {
    agent.model.on("wait").calls("calculator__slow", { milliseconds: 60_000, steps: 1_000 });
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("wait");
    await running.shown("step 1 of 1000");
    await agent.cancel();
    await running;
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      wait
      assistant → calculator__slow {"milliseconds":60000,"steps":1000}
      result    calculator__slow interrupted(interrupted): Cancelled: the server was told to stop. The call may have taken effect in part.
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
    expect(agent.everyEffect()).toMatchObject([/^slow/, /^cancelled/].map((pattern) => expect.stringMatching(pattern)));
  },
  { calculator: "trusted", cuts: 1 },
);

/** Ignores its signal until the gate `late` is opened; says when it has returned. */
const stubborn = (props: Props) =>
  handMadeTool({
    name: "stubborn",
    touches: ["nothing else"],
    run: async () => {
      const deaf = new AbortController().signal;
      void props.gate("hanging").wait(deaf);
      await props.gate("late").wait(deaf);
      void props.gate("returned").wait(deaf);
      return "too late";
    },
  });

/** Done before its sibling hangs. */
const quick = (props: Props) =>
  handMadeTool({
    name: "quick",
    idempotent: true,
    touches: ["its own"],
    run: async () => {
      await props.gate("hanging").reached;
      return "done";
    },
  });

story(
  "a tool that ignores the cancel is left behind after a grace, what its sibling did stays, and its late result is ignored",
  async (agent) => {
    agent.model.on("work").says([call("stubborn"), call("quick")]);
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("work");
    await running.reached(agent.gate("hanging"));
    await elsewhere(agent, (other) => told(other, agent, "call.settle"));
    await agent.cancel();
    await running;
    const before = await agent.entries();
    const late = agent.gate("returned").reached;
    agent.gate("late").release();
    await late;
    await agent.run();
    expect(await agent.entries()).toEqual(before);
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant → stubborn {}
                → quick {}
      result    stubborn interrupted(interrupted): The user interrupted this turn. It was stopped while it ran; part of its effect may have happened.
      result    quick ok: done
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
  },
  { tools: (props) => [stubborn(props), quick(props)], cuts: 0 },
);

/** What happens while the careless tool runs. */
let meanwhile = async (): Promise<unknown> => undefined;

/** Returns as if nothing had happened. */
const careless = () =>
  handMadeTool({
    name: "careless",
    idempotent: true,
    run: async () => {
      await meanwhile();
      return "all done";
    },
  });

story(
  "a cancel between two steps keeps the result that had come, and the model is not asked again",
  async (agent) => {
    agent.model.on("work").calls("careless");
    meanwhile = () => sendFromElsewhere(agent, { type: "cancel" });
    agent.model.on("never mind").replies("Very well.");
    await agent.prompt("work");
    expect(agent.outcome).toEqual({ status: "cancelled" });
    expect(agent.requests()).toHaveLength(1);
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant → careless {}
      result    careless ok: all done
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
    expect(agent.requests().at(-1)?.newest).toContain("all done");
  },
  { tools: () => [careless()], cuts: 2 },
);
