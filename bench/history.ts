/** H(M): turns with two calls in a session that has many messages. `history ours|floor normal|full FILE TURNS`. */
import { argument, durabilityAt, numberAt } from "./kit/arguments.ts";
import { openEngine } from "./kit/engine.ts";
import { openFloor } from "./kit/floor.ts";
import { cpuMs, median, report } from "./kit/measure.ts";

const CALLS = 2;
/** Prompt and answer, and two for each call. */
const WRITES = 2 + 2 * CALLS;

const [who, durability, path, turns] = [argument(0), durabilityAt(1), argument(2), numberAt(3)];

interface Opened {
  readonly turn: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function ours(): Promise<Opened> {
  const { app, turn } = await openEngine(path, durability, { rounds: CALLS });
  const id = await app.sessions.find("latest");
  return { turn: () => turn(id), close: () => app.close() };
}

async function floor(): Promise<Opened> {
  const sqlite = openFloor(path, durability);
  sqlite.load(1);
  return {
    async turn() {
      for (let write = 0; write < WRITES; write += 1) sqlite.write(1);
    },
    async close() {
      sqlite.close();
    },
  };
}

const started = performance.now();
const { turn, close } = await (who === "ours" ? ours() : floor());
await turn();
const firstMs = performance.now() - started;

const walls: number[] = [];
const cpu = cpuMs();
for (let taken = 0; taken < turns; taken += 1) {
  const before = performance.now();
  await turn();
  walls.push(performance.now() - before);
}
const turnCpuMs = (cpuMs() - cpu) / turns;
await close();
report({ firstMs, turnMs: median(walls.slice(turns / 3)), turnCpuMs });
