/** P5: C(200), ours beside the floor that commits one by one and the one that commits for all sessions together. */
import { join } from "node:path";
import { checkFloor, checkOurs, measure, of } from "./child.ts";
import type { Durability } from "./engine.ts";
import type { Bench } from "./measure-rounds.ts";
import { median } from "./measure.ts";
import { shown } from "./results.ts";
import type { Line } from "./results.ts";

const SESSIONS = 200;
const ROUNDS = 5;
const WHO = ["ours", "floor", "floor-grouped"] as const;

export async function measureCrowd(bench: Bench): Promise<readonly Line[]> {
  return [await crowd(bench, "full"), await crowd(bench, "normal")];
}

async function crowd({ folder, times }: Bench, durability: Durability): Promise<Line> {
  const speeds: Record<(typeof WHO)[number], number[]> = { ours: [], floor: [], "floor-grouped": [] };
  for (let time = 0; time < times; time += 1) {
    for (const who of WHO) {
      const path = join(folder, `crowd-${durability}-${who}-${time}.db`);
      speeds[who].push(of(await measure("crowd", who, durability, SESSIONS, path), "perSecond"));
      if (who === "ours") await checkOurs(path, SESSIONS, ROUNDS);
      else await checkFloor(path, SESSIONS, 2 * ROUNDS + 2);
    }
  }
  return {
    target: "P5",
    what: `C(200), 16 at a time, at ${durability.toUpperCase()}: sessions a second`,
    wanted: "peers: see notes",
    value: shown(median(speeds.ours)),
    met: undefined,
    note: `floor ${shown(median(speeds.floor))} one commit at a time, ${shown(median(speeds["floor-grouped"]))} grouped`,
  };
}
