/** C(K): K sessions of W(5), 16 at a time. `crowd ours|floor|floor-grouped normal|full K FILE`. */
import { argument, durabilityAt, numberAt } from "./kit/arguments.ts";
import { openEngine } from "./kit/engine.ts";
import { openFloor } from "./kit/floor.ts";
import { bytesOf, report, startWatch } from "./kit/measure.ts";
import type { Took } from "./kit/measure.ts";

const AT_ONCE = 16;
const ROUNDS = 5;
const WRITES = 2 + 2 * ROUNDS;

const [who, durability, sessions, path] = [argument(0), durabilityAt(1), numberAt(2), argument(3)];

async function ours(): Promise<Took> {
  const { app, create, turn } = await openEngine(path, durability, { rounds: ROUNDS });
  const watch = startWatch();
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun < sessions) {
      begun += 1;
      await turn(await create());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const took = watch();
  await app.close();
  return took;
}

/** One commit at a time, or one for all that are under way. */
function floor(grouped: boolean): Took {
  const sqlite = openFloor(path, durability);
  const watch = startWatch();
  for (let begun = 0; begun < sessions; begun += AT_ONCE) {
    const group = Array.from({ length: Math.min(AT_ONCE, sessions - begun) }, (_, at) => begun + at + 1);
    for (let write = 0; write < WRITES; write += 1) {
      if (grouped) sqlite.writeAll(group);
      else for (const session of group) sqlite.write(session);
    }
  }
  const took = watch();
  sqlite.close();
  return took;
}

const took = who === "ours" ? await ours() : floor(who === "floor-grouped");
report({ ...took, perSecond: (sessions * 1_000) / took.wallMs, bytes: bytesOf(path) });
