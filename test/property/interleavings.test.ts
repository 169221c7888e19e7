/** Whatever a person, a stepping process and a killed one do in whatever order, what must be true stays true. */
import fc from "fast-check";
import { test } from "vitest";
import { action } from "./actions.ts";
import type { Action } from "./actions.ts";
import { RandomAgent } from "./random-agent.ts";

/** A run is the same in every checkout; DACAPO_SEED and DACAPO_RUNS go hunting elsewhere. */
const seed = Number(process.env["DACAPO_SEED"] ?? 1);
const numRuns = Number(process.env["DACAPO_RUNS"] ?? 60);

test("the standing checks hold after every interleaving", { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 14 }), playAll);
  await fc.assert(property, { seed, numRuns, endOnFailure: false });
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
