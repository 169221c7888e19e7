/** Builds the command line once per run, so that tests spawn what users get, whatever is in dist. */
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { build } from "tsdown";
import type { TestProject } from "vitest/node";
import configs from "../tsdown.config.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the built main.js. */
    commandLine: string;
  }
}

/** Below node_modules, because it loads packages from there. */
const CACHE = join(import.meta.dirname, "../node_modules/.cache/dacapo");

export async function setup(project: Pick<TestProject, "provide">): Promise<() => Promise<void>> {
  const outDir = await buildCommandLine();
  project.provide("commandLine", join(outDir, "main.js"));
  return () => rm(outDir, { recursive: true, force: true });
}

async function buildCommandLine(): Promise<string> {
  const config = configs.find(({ name }) => name === "command line");
  if (config === undefined) throw new Error('tsdown.config.ts has no build named "command line"');
  await mkdir(CACHE, { recursive: true });
  await sweep();
  const outDir = await mkdtemp(join(CACHE, "cli-"));
  await build({ ...config, config: false, cwd: join(import.meta.dirname, ".."), outDir, logLevel: "error" });
  return outDir;
}

const ABANDONED_MS = 60 * 60_000;

/** Takes away what runs left behind that were killed. */
async function sweep(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    const found = name.startsWith("cli-") ? await stat(path).catch(() => undefined) : undefined;
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
