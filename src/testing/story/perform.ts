/** Performs a story once in one mode: opens its world, plays the body, checks what is left, and cleans up. */
import type { SeenRequest } from "../fake-model/seen.ts";
import type { FakeModel } from "../fake-model/server.ts";
import type { ModeName } from "./agent.ts";
import type { Cut } from "./killed-machine.ts";
import type { Machine } from "./machine.ts";
import type { Recall } from "./memory.ts";
import { patiently } from "./patience.ts";
import { StoryCutError } from "./running.ts";
import { createStage } from "./stage.ts";
import type { Stage } from "./stage.ts";
import { assertStanding } from "./standing-checks.ts";
import type { Story } from "./story.ts";
import { wholeSession } from "./whole-session.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world.ts";

export interface Performance {
  readonly mode: ModeName;
  /** Makes the body's eyes; `changed` says whether a kill has changed the story. */
  recall(changed: () => boolean): Recall;
  /** The number of the rule for a request that none matches. */
  readonly fallback?: (asked: number) => number | undefined;
  machine(world: World): Promise<Machine & { readonly cut?: () => Cut | undefined }>;
  /** Called when all is well, before the world is gone. */
  afterwards?(stage: Stage, world: World): Promise<void>;
}

export async function perform({ body, options }: Story, performance: Performance): Promise<void> {
  const { mode, fallback } = performance;
  let cut = (): Cut | undefined => undefined;
  const world: World = await createWorld(options, (request, matching) => {
    const left = cut();
    return left ? chooseAfterCut({ request, matching, left, straight: fallback }, world.model) : matching;
  });
  try {
    const machine = await performance.machine(world);
    cut = () => machine.cut?.();
    const recall = performance.recall(() => isChanged(cut(), world.model));
    const stage = createStage({ mode, world, machine, cut: () => cut(), recall });
    try {
      const whole = await play(body, stage, world);
      await stage.runs.settled();
      const warm = await machine.client(async (sessions) => wholeSession(await sessions.open(world.sessionId)));
      await assertStanding(world, machine, warm);
      if (whole) await performance.afterwards?.(stage, world);
    } finally {
      await machine.close();
    }
  } finally {
    await world.close();
  }
}

/** Whether a kill cut a call in flight, or a reply that nobody asked for again. */
function isChanged(cut: Cut | undefined, { requests }: FakeModel): boolean {
  if (!cut) return false;
  const later = requests.slice((cut.requests.at(-1) ?? requests.length) + 1);
  const asksAgain = (lost: number): boolean => later.some(({ rawBody }) => rawBody === requests[lost]?.rawBody);
  return cut.calls.length > 0 || !cut.requests.every(asksAgain);
}

interface Asked {
  readonly request: SeenRequest;
  readonly matching: number | undefined;
  readonly left: Cut;
  readonly straight: Performance["fallback"];
}

/** A request whose answer was lost is answered again as it was; one that no rule matches, as the uncut story's was. */
function chooseAfterCut({ request, matching, left, straight }: Asked, model: FakeModel): number | undefined {
  const at = model.requests.length - 1;
  const lost = left.requests.find((number) => model.requests[number]?.rawBody === request.rawBody);
  const again = lost !== undefined && at === (left.requests.at(-1) ?? 0) + 1;
  return again ? model.answeredBy[lost] : (matching ?? straight?.(at - left.requests.length));
}

/** False if a kill cut what the body waits for: then only the standing checks remain. */
async function play(body: Story["body"], { agent, runs }: Stage, world: World): Promise<boolean> {
  try {
    await patiently(body(agent), () => agent.transcript());
    return true;
  } catch (error) {
    if (error instanceof StoryCutError) return false;
    throw error;
  } finally {
    world.model.releaseAll();
    world.clock.releaseAll();
    world.props.releaseAll();
    await patiently(runs.settled(), () => agent.transcript()).catch(() => undefined);
  }
}
