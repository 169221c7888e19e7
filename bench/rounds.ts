/**
 * W(N): a turn of N rounds, in several sessions one after the other. `rounds ours|floor normal|full N SESSIONS FILE`. Opening
 * the file is not counted; the first round of the process, with all code cold, is. `warm` is the last session.
 */
import { argument, durabilityAt, numberAt } from "./kit/arguments.ts";
import { openEngine } from "./kit/engine.ts";
import { openFloor } from "./kit/floor.ts";
import { bytesOf, peakRssMb, report, shapeOf, startWatch } from "./kit/measure.ts";
import type { Took } from "./kit/measure.ts";

const [who, durability, rounds, sessions, path] = [argument(0), durabilityAt(1), numberAt(2), numberAt(3), argument(4)];
let ticks: number[] = [];
const tick = (): void => void ticks.push(performance.now());

interface Measured {
  readonly took: Took;
  readonly shape: Record<string, number>;
  readonly transactions: number;
}

async function measured(session: () => number | Promise<number>): Promise<Measured> {
  ticks = [];
  const watch = startWatch();
  const transactions = await session();
  const took = watch();
  return { took, shape: shapeOf(ticks), transactions };
}

async function ours(): Promise<readonly Measured[]> {
  const { app, create, turn } = await openEngine(path, durability, { rounds, asked: tick });
  const all: Measured[] = [];
  while (all.length < sessions) all.push(await measured(async () => turn(await create())));
  await app.close();
  return all;
}

async function floor(): Promise<readonly Measured[]> {
  const sqlite = openFloor(path, durability);
  const all: Measured[] = [];
  while (all.length < sessions) all.push(await measured(() => floorRounds(() => sqlite.write(all.length + 1))));
  sqlite.close();
  return all;
}

function floorRounds(write: () => void): number {
  for (let round = 0; round < rounds; round += 1) {
    tick();
    write();
    write();
  }
  tick();
  return 2 * rounds;
}

const all = await (who === "ours" ? ours() : floor());
const [first, last] = [all[0], all.at(-1)];
if (!first || !last) throw new Error("no session was measured");
report({
  ...first.took,
  ...first.shape,
  transactions: first.transactions,
  warmWallMs: last.took.wallMs,
  warmCpuMs: last.took.cpuMs,
  bytes: bytesOf(path),
  rssMb: peakRssMb(),
});
