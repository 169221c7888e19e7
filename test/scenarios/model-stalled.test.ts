/** A provider that falls silent is given up: before its first byte, in mid-reply, or after too long, each told as what it is. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { expect } from "vitest";
import type { Models } from "../../src/core/model.ts";
import { DEFAULT_LIMITS } from "../../src/models/limits.ts";
import type { StartTimer } from "../../src/models/limits.ts";
import { createModels } from "../../src/models/models.ts";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";

/** Timers of the model's time limits, which run out when the story says so. */
function createTimers() {
  const running = new Map<() => void, number>();
  const startTimer: StartTimer = (act, ms) => {
    running.set(act, ms);
    return () => void running.delete(act);
  };
  return {
    startTimer,
    /** Waits for a timer of that length and lets it run out. */
    async runOut(ms: number): Promise<void> {
      for (;;) {
        const found = [...running].find(([, length]) => length === ms);
        if (found) {
          running.delete(found[0]);
          return found[0]();
        }
        await turnOfTheLoop();
      }
    },
  };
}

/** The models of the running performance; its processes are built after it. */
let models: Models;

function stallingModels({ model, clock }: Agent) {
  const timers = createTimers();
  models = createModels({
    environment: { ANTHROPIC_API_KEY: "sk-ant-story-0123456789", OPENAI_COMPATIBLE_API_KEY: "sk-story-9876543210" },
    baseUrl: model.url,
    now: () => clock.now(),
    startTimer: timers.startTimer,
  });
  return timers;
}

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `a stalled reply is an outage that says which limit was hit, and is tried again, on ${protocol}`,
    async (agent) => {
      const timers = stallingModels(agent);
      const silent = agent.model.on("tell").answers({ type: "silence" }).hold();
      const idle = agent.model.on("tell").replies(["Once upon", " a time."]).hold({ after: 1 });
      const endless = agent.model.on("tell").replies(["Twice upon", " a time."]).hold({ after: 1 });
      agent.model.on("tell").replies("The end.");
      const running = agent.start("tell me a story");
      await running.reached(silent);
      await timers.runOut(DEFAULT_LIMITS.firstByteMs);
      await running.shown("Once upon");
      await timers.runOut(DEFAULT_LIMITS.idleMs);
      await running.shown("Twice upon");
      await timers.runOut(DEFAULT_LIMITS.totalMs);
      await running;
      await Promise.all([silent.abandoned, idle.abandoned, endless.abandoned]);
      expect((await agent.transcript()).replaceAll(protocol, "<provider>")).toMatchInlineSnapshot(`
        "user      tell me a story
        error     (user only) (model_unavailable) <provider> sent nothing for 60 s (first-byte limit)
        notice    (user only) The model request failed: <provider> sent nothing for 60 s (first-byte limit). Attempt 2 of 4 follows in 1 s, at <time>.
        error     (user only) Once upon
                  [this reply was cut off and abandoned] (model_unavailable) <provider> fell silent in mid-reply for 120 s (idle limit)
        notice    (user only) The model request failed: <provider> fell silent in mid-reply for 120 s (idle limit). Attempt 3 of 4 follows in 2 s, at <time>.
        error     (user only) Twice upon
                  [this reply was cut off and abandoned] (model_unavailable) <provider> did not finish within 1800 s (total limit)
        notice    (user only) The model request failed: <provider> did not finish within 1800 s (total limit). Attempt 4 of 4 follows in 4 s, at <time>.
        assistant The end.
        outcome   completed"
      `);
      agent.model.assertNothingLeft();
    },
    // Timers of a reply that a kill cut off would run out again, and nobody is there to let them.
    { protocol, cuts: 0, pipeline: (ports) => standardPipeline({ ...ports, models: (id) => models(id) }) },
  );
}
