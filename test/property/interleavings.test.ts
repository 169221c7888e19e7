/** Whatever a person, a stepping process and a killed one do in whatever order, what must be true stays true. */
import fc from "fast-check";
import { test } from "vitest";
import { action } from "./actions.ts";
import type { Action } from "./actions.ts";
import { RandomAgent } from "./random-agent.ts";

/** The same interleavings every time; another DACAPO_SEED and more DACAPO_SECONDS go hunting. */
const seed = Number(process.env["DACAPO_SEED"] ?? 1);
const seconds = Number(process.env["DACAPO_SECONDS"] ?? 8);

/** What once went wrong, tried first. */
const examples: [Action[]][] = [
  [[{ do: "withdraw" }, { do: "withdraw" }]],
  [[{ do: "run" }, { do: "prompt" }, { do: "race", commit: 1, acts: [{ do: "configure", mode: "plan" }] }]],
];

test("the standing checks hold after every interleaving", { timeout: (seconds + 60) * 1_000 }, async () => {
  const property = fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 14 }), playAll);
  await fc.assert(property, { seed, numRuns: 100_000, examples, interruptAfterTimeLimit: seconds * 1_000 });
});

async function playAll(actions: readonly Action[]): Promise<void> {
  const agent = await RandomAgent.open();
  try {
    await agent.play({ do: "prompt" });
    for (const next of actions) {
      await agent.play(next);
      await agent.check();
    }
    await agent.run();
    await agent.check();
  } finally {
    await agent.close();
  }
}
