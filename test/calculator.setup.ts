/** Bundles the calculator's process once per run, so that a fresh checkout can start it: Node 20 does not run TypeScript. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "tsdown";
import { calculatorFile } from "../src/testing/calculator/entry.ts";

export async function setup(): Promise<void> {
  const file = calculatorFile();
  await mkdir(dirname(file), { recursive: true });
  // Built aside and renamed, because several runs may share the checkout.
  const outDir = await mkdtemp(`${file}-`);
  try {
    await build({
      config: false,
      entry: { calculator: "src/testing/calculator/server.ts" },
      cwd: join(import.meta.dirname, ".."),
      outDir,
      format: "esm",
      platform: "node",
      target: "node20",
      fixedExtension: false,
      dts: false,
      sourcemap: "inline",
      clean: false,
      logLevel: "error",
    });
    await rename(join(outDir, "calculator.js"), file);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}
