/** Appends a prompt and does not run it, so that a cold open has something to decide. `prompt FILE`. */
import { argument } from "./kit/arguments.ts";
import { openEngine } from "./kit/engine.ts";

const { app } = await openEngine(argument(0), "normal", { rounds: 1 });
const parts = [{ type: "text" as const, text: "One more." }];
await app.sessions.send(await app.sessions.find("latest"), { type: "prompt", author: "user", parts });
await app.close();
console.log("{}");
