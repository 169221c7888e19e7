/** Opens a file in a process of its own and counts what is there: a number that kept less does not count. `count ours|floor FILE`. */
import { argument } from "./kit/arguments.ts";
import { openEngine } from "./kit/engine.ts";
import { openFloor } from "./kit/floor.ts";
import { report } from "./kit/measure.ts";
import { lifecycleOf } from "../src/core/lifecycle.ts";

const PAGE = 1_000;
const MOST_SESSIONS = 100_000;

const [who, path] = [argument(0), argument(1)];

async function ours(): Promise<Record<string, number>> {
  const { app } = await openEngine(path, "normal", { rounds: 1 });
  const counted = { sessions: 0, messages: 0, calls: 0, succeeded: 0, entries: 0, gaps: 0, unfinished: 0, damage: 0 };
  for (const { id, seq } of await app.sessions.list({ limit: MOST_SESSIONS })) {
    const session = await app.sessions.open(id);
    counted.sessions += 1;
    counted.messages += [...session.messages].filter(({ parts }) => parts.length > 0).length;
    counted.calls += session.calls.settled.length + session.calls.open.size;
    counted.succeeded += [...session.calls.settled].filter(({ status }) => status === "succeeded").length;
    counted.unfinished += lifecycleOf(session) === "ended" ? 0 : 1;
    let last = 0;
    for (;;) {
      const entries = await app.store.entries(id, last, PAGE);
      counted.gaps += entries.filter((entry, at) => entry.seq !== last + at + 1).length;
      counted.entries += entries.length;
      last += entries.length;
      if (entries.length < PAGE) break;
    }
    counted.gaps += Math.abs(seq - last);
    counted.damage += (await app.sessions.verify(id)).length;
  }
  await app.close();
  return counted;
}

function floor(): Record<string, number> {
  const sqlite = openFloor(path, "normal");
  const counted = sqlite.count();
  sqlite.close();
  return counted;
}

report(who === "ours" ? await ours() : floor());
