/** `dacapo fake-model`: serves a script of replies on a loopback port until it is interrupted. */
import { readFile } from "node:fs/promises";
import { UsageError, wordsOf } from "../core/error.ts";
import { startFakeModelFromScript } from "../testing/fake-model/script.ts";
import type { FakeModel } from "../testing/fake-model/server.ts";
import { noteLine, printLine } from "./output.ts";
import { commandLine } from "./shell.ts";

export interface FakeModelFlags {
  readonly port?: number;
}

/** How often to look for complaints that nobody was told of yet. */
const LOOK_MS = 250;

export async function fakeModel(file: string, { port }: FakeModelFlags): Promise<number> {
  const model = await start(await scriptFrom(file), port);
  printLine(model.url);
  for (const line of exampleLines(model.url)) noteLine(line);
  const tell = createTeller(model);
  const timer = setInterval(tell, LOOK_MS);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  clearInterval(timer);
  tell();
  await model.close();
  return 0;
}

async function scriptFrom(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown;
  } catch (error) {
    const why = wordsOf(error);
    throw new UsageError(`${file} cannot be read as JSON: ${why}`, { cause: error });
  }
}

async function start(script: unknown, port: number | undefined): Promise<FakeModel> {
  try {
    return await startFakeModelFromScript(script, port === undefined ? {} : { port });
  } catch (error) {
    const { name, code, message } = error as Error & { readonly code?: string };
    if (name === "FakeModelScriptError") throw new UsageError(message, { cause: error });
    if (code === undefined) throw error;
    throw new UsageError(`The port ${port} cannot be used: ${message}`, { cause: error });
  }
}

function exampleLines(url: string): readonly string[] {
  return [
    "Serving until Ctrl-C. In another terminal, for example:",
    `  ${commandLine(["run", "--model", "openai-compatible/fake", "--base-url", `${url}/v1`, "your prompt"])}`,
    `  ANTHROPIC_API_KEY=none ${commandLine(["run", "--model", "anthropic/fake", "--base-url", url, "your prompt"])}`,
    `  curl -X POST ${url}/release    lets held replies go on`,
  ];
}

/** Tells each complaint once: a request that a provider would have refused, or that met no rule. */
function createTeller(model: FakeModel): () => void {
  const told = new Set<string>();
  return () => {
    for (const line of complaintsOf(model)) {
      if (!told.has(line)) noteLine(line);
      told.add(line);
    }
  };
}

function complaintsOf(model: FakeModel): readonly string[] {
  try {
    model.assertClean();
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split("\n").slice(1) : [];
  }
}
