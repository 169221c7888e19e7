/** What arrives at the very end of a turn, or while another one runs: nothing is lost, nothing is overtaken, nothing runs twice. */
import { expect } from "vitest";
import type { Operation } from "../../src/core/operation.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import type { PipelinePorts } from "../../src/operations/pipeline.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sendFromElsewhere, words } from "./elsewhere.ts";

/** The pipeline with an operation after whose first commit, before it is durable, something happens once. */
function interposed(name: string) {
  let happens: (() => Promise<unknown>) | undefined;
  const meddled = (operation: Operation): Operation => ({
    ...operation,
    async *run(...args) {
      for await (const effects of operation.run(...args)) {
        yield effects;
        const now = happens;
        happens = undefined;
        await now?.();
      }
    },
  });
  return {
    once: (act: () => Promise<unknown>) => {
      happens = act;
    },
    pipeline: (ports: PipelinePorts) =>
      createPipeline(
        standardPipeline(ports).operations.map((operation) =>
          operation.name === name ? meddled(operation) : operation,
        ),
      ),
  };
}

for (const stop of ["end", "refusal"] as const) {
  const atTheEnd = interposed("settle");
  story(
    `a steer between the end of a turn and its commit makes the turn go on, after a reply with stop ${stop}`,
    async (agent) => {
      agent.model.on("hello").replies("Hello.", { stop });
      agent.model.on("in French").replies("Bonjour.");
      atTheEnd.once(() => sendFromElsewhere(agent, { type: "steer", parts: words("in French") }));
      await agent.prompt("hello");
      expect(agent.outcome).toEqual({ status: "completed" });
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      hello
        assistant Hello.
        steer     in French
        assistant Bonjour.
        outcome   completed"
      `);
      expect(endsOf(await agent.entries())).toEqual(["completed"]);
    },
    { pipeline: atTheEnd.pipeline, cuts: 3 },
  );
}

function endsOf(entries: Awaited<ReturnType<Agent["entries"]>>): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "commit"
      ? entry.effects.flatMap((effect) => (effect.type === "turn.end" ? [effect.outcome.status] : []))
      : [],
  );
}

const cancelledAtTheEnd = interposed("settle");
story(
  "a cancel between the end of a turn and its commit makes it a cancelled one, and keeps the answer",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    cancelledAtTheEnd.once(() => sendFromElsewhere(agent, { type: "cancel" }));
    await agent.prompt("hello");
    expect(agent.outcome).toEqual({ status: "cancelled" });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      notice    The user interrupted this turn.
      outcome   cancelled"
    `);
    expect(endsOf(await agent.entries())).toEqual(["cancelled"]);
  },
  { pipeline: cancelledAtTheEnd.pipeline, cuts: 3 },
);

const promptedAtTheEnd = interposed("settle");
story(
  "a prompt between the end of a turn and its commit starts the next turn in the same run",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    agent.model.on("goodbye").replies("Goodbye.");
    promptedAtTheEnd.once(() => sendFromElsewhere(agent, { type: "prompt", parts: words("goodbye") }));
    await agent.prompt("hello");
    expect(agent.outcome).toEqual({ status: "completed" });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      outcome   completed
      user      goodbye
      assistant Goodbye.
      outcome   completed"
    `);
  },
  { pipeline: promptedAtTheEnd.pipeline, cuts: 3 },
);

const withdrawnMeanwhile = interposed("intake");
story(
  "a prompt that is withdrawn while it is being taken in never arrives",
  async (agent) => {
    agent.model.on("second thoughts").replies("These count.");
    const { inputId } = await agent.queue("first thoughts");
    withdrawnMeanwhile.once(() => sendFromElsewhere(agent, { type: "withdraw", inputId }));
    await agent.run();
    expect(agent.requests()).toHaveLength(0);
    await agent.prompt("second thoughts");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      second thoughts
      assistant These count.
      outcome   completed"
    `);
  },
  { pipeline: withdrawnMeanwhile.pipeline, cuts: 2 },
);

story(
  "a steer while a stop hook judges the answer makes the turn go on, and the hook judges the next one",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    agent.model.on("in French").replies("Bonjour.");
    const running = agent.start("hello");
    await running.reached(agent.gate("judging"));
    await agent.steer("in French");
    agent.gate("judging").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      steer     in French
      assistant Bonjour.
      outcome   completed"
    `);
    if (agent.mode !== "killed") expect(agent.counted("judged")).toBe(2);
  },
  {
    stopHooks: (props) => [
      {
        name: "judge",
        run: async (_info, signal) => {
          props.count("judged");
          await props.gate("judging").wait(signal);
          return { verdict: "allow" };
        },
      },
    ],
    cuts: 3,
  },
);

story(
  "prompts that are sent while a turn runs are turns of their own, in their order, and one run takes them all",
  async (agent) => {
    agent.model.on("one").replies(["First", "."]).hold({ after: 1 });
    agent.model.on("two").replies("Second.");
    agent.model.on("three").replies("Third.");
    const running = agent.start("one");
    await running.shown("First");
    await agent.queue("two");
    await agent.queue("three");
    const second = await agent.client((sessions) => sessions.run(agent.sessionId, { wait: false }));
    expect(second.type).toBe("held");
    expect(agent.requests().length).toBeLessThanOrEqual(1);
    agent.model.releaseAll();
    await running;
    expect(agent.report?.text).toBe("Third.");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed
      user      three
      assistant Third.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { cuts: 4 },
);
