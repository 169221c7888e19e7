/** Builds the benchmarks for Node 20, which cannot run TypeScript: our code inside, packages outside. */
import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["*.ts", "!*.config.ts"],
  outDir: "dist",
  format: "esm",
  platform: "node",
  target: "node20",
  fixedExtension: false,
  dts: false,
  deps: { skipNodeModulesBundle: true },
});
