/** R(M): a new process opens a session and comes to its first decision. `open ours|floor FILE`; times since the process began. */
import { performance } from "node:perf_hooks";
import { argument } from "./kit/arguments.ts";

const [who, path] = [argument(0), argument(1)];

async function ours(): Promise<Record<string, number>> {
  const { openEngine } = await import("./kit/engine.ts");
  const { firstClaim } = await import("../src/core/step.ts");
  const openedMs = performance.now();
  const { app } = await openEngine(path, "normal", { rounds: 1 });
  const { pipeline } = await app.runner();
  const loadedMs = performance.now();
  const session = await app.sessions.open(await app.sessions.find("latest"));
  const claimed = firstClaim(session, pipeline, Date.now());
  const decidedMs = performance.now();
  if (claimed?.operation.name !== "intake") throw new Error(`the first decision was ${claimed?.operation.name}`);
  const messages = session.messages.length;
  await app.close();
  return { decidedMs, openMs: loadedMs - openedMs, loadMs: decidedMs - loadedMs, messages };
}

async function floor(): Promise<Record<string, number>> {
  const { openFloor } = await import("./kit/floor.ts");
  const sqlite = openFloor(path, "normal");
  const messages = sqlite.load(1);
  const decidedMs = performance.now();
  sqlite.close();
  return { decidedMs, messages };
}

console.log(JSON.stringify(who === "ours" ? await ours() : await floor()));
