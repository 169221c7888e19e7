/** P10: what it costs to find that nothing is to be done. `rest FILE`. */
import { argument } from "./kit/arguments.ts";
import { openEngine } from "./kit/engine.ts";
import { report } from "./kit/measure.ts";
import { firstClaim } from "../src/core/step.ts";

const ASKED = 5_000;

const { app } = await openEngine(argument(0), "normal", { rounds: 1 });
const { pipeline } = await app.runner();
const session = await app.sessions.open(await app.sessions.find("latest"));
if (firstClaim(session, pipeline, Date.now())) throw new Error("the session does not rest");

const started = performance.now();
for (let asked = 0; asked < ASKED; asked += 1) firstClaim(session, pipeline, asked);
report({ stepMs: (performance.now() - started) / ASKED });
await app.close();
