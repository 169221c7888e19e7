/** Performs a story once in one mode: opens its world, plays the body, checks what is left, and cleans up. */
import type { ModeName } from "./agent.ts";
import type { Cut } from "./killed-machine.ts";
import type { Machine } from "./machine.ts";
import { StoryCutError } from "./running.ts";
import { createStage } from "./stage.ts";
import type { Stage, StagePorts } from "./stage.ts";
import { assertStanding } from "./standing-checks.ts";
import type { Story } from "./story.ts";
import { wholeSession } from "./whole-session.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world.ts";

export interface Performance {
  readonly mode: ModeName;
  readonly uncutResult?: StagePorts["uncutResult"];
  /** The number of the rule for a request that none matches. */
  readonly fallback?: (asked: number) => number | undefined;
  machine(world: World): Promise<Machine & { readonly cut?: () => Cut | undefined }>;
  /** Called when all is well, before the world is gone. */
  afterwards?(stage: Stage): Promise<void>;
}

export async function perform({ body, options }: Story, performance: Performance): Promise<void> {
  const { mode, uncutResult, fallback } = performance;
  let cut = (): Cut | undefined => undefined;
  const world: World = await createWorld(options, () => {
    const lost = cut()?.requests.length ?? 0;
    return cut() && fallback?.(world.model.requests.length - 1 - lost);
  });
  try {
    const machine = await performance.machine(world);
    cut = () => machine.cut?.();
    const stage = createStage({ mode, world, machine, cut: () => cut(), ...(uncutResult && { uncutResult }) });
    try {
      const whole = await play(body, stage, world);
      await stage.runs.settled();
      const warm = await machine.client(async (sessions) => wholeSession(await sessions.open(world.sessionId)));
      await assertStanding(world, machine, warm);
      if (whole) await performance.afterwards?.(stage);
    } finally {
      await machine.close();
    }
  } finally {
    await world.close();
  }
}

/** False if a kill cut what the body waits for: then only the standing checks remain. */
async function play(body: Story["body"], { agent, runs }: Stage, world: World): Promise<boolean> {
  try {
    await body(agent);
    return true;
  } catch (error) {
    if (error instanceof StoryCutError) return false;
    throw error;
  } finally {
    world.model.releaseAll();
    world.clock.releaseAll();
    await runs.settled().catch(() => undefined);
  }
}
