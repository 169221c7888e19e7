/** S: `dacapo run` from the start of the process to the first byte of the model request, and `node -e 0`. `start MAIN FOLDER`. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { argument } from "./kit/arguments.ts";
import { report } from "./kit/measure.ts";

const [main, folder] = [argument(0), argument(1)];
let first = (): void => undefined;
const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", () => {
    first();
    socket.destroy();
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

async function ours(): Promise<number> {
  const started = performance.now();
  const asked = new Promise<number>((resolve, reject) => {
    first = () => resolve(performance.now() - started);
    setTimeout(() => reject(new Error("the model was not asked within 20 s")), 20_000).unref();
  });
  const address = `http://127.0.0.1:${port}/v1`;
  const model = ["--model", "openai-compatible/bench", "--base-url", address];
  const where = ["--db", join(folder, "start.db"), "--cwd", folder];
  const child = spawn(process.execPath, [main, "run", "hello", ...model, ...where], {
    stdio: "ignore",
    env: { ...process.env, HOME: folder, OPENAI_COMPATIBLE_API_KEY: "none" },
  });
  const startMs = await asked;
  child.kill("SIGKILL");
  await gone(child);
  return startMs;
}

async function floor(): Promise<number> {
  const started = performance.now();
  await gone(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }));
  return performance.now() - started;
}

// The first start of each reads its files from the disk, and makes the database.
await floor();
await ours();
report({ floorMs: await floor(), startMs: await ours() });
server.close();
