/** What a program that uses dacapo as a library relies on: what the root entry loads, and that the examples work. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "tsdown";
import { expect, onTestFinished, test } from "vitest";
import { main } from "../examples/own-operation.ts";
import configs from "../tsdown.config.ts";

const root = join(import.meta.dirname, "..");

test("importing the root entry needs no package but zod: no database driver, no provider, no MCP", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dacapo-library-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const library = configs.find(({ name }) => name === "library");
  if (library === undefined) throw new Error('tsdown.config.ts has no build named "library"');
  const entry = { index: "src/index.ts" };
  await build({
    ...library,
    entry,
    dts: false,
    config: false,
    cwd: root,
    outDir: join(folder, "dist"),
    logLevel: "error",
  });
  await mkdir(join(folder, "node_modules"));
  await symlink(join(root, "node_modules", "zod"), join(folder, "node_modules", "zod"));
  const script = `import("${join(folder, "dist", "index.js")}").then((api) => console.log(Object.keys(api).join(" ")))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const named = ["createApp", "createPipeline", "defineOperation", "run", "standardPipeline", "step"];
  expect(stdout.trim().split(" ")).toEqual(expect.arrayContaining(named));
});

test("the example of an own operation tells what it promises", async () => {
  expect(await main()).toEqual([
    "prompt: How many days has a week?",
    "reply: That is a very good question, and the answer to it is, all things considered, seven.",
    "nudge: Your answer has 16 words. Say it again in at most 5.",
    "reply: Seven.",
  ]);
});
