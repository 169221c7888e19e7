/**
 * Two builds. The library leaves its packages outside, so that a program that uses it shares them. The command line
 * carries its packages inside, cut at each `import()`: reading a few files instead of hundreds is most of its start.
 */
import { defineConfig } from "tsdown";

const common = {
  format: "esm",
  platform: "node",
  target: "node20",
  fixedExtension: false,
  hash: true,
  checks: { pluginTimings: false },
} as const;

/** A native addon, and a package that finds its binary beside itself. */
const outside = ["better-sqlite3", "@vscode/ripgrep"];

export default defineConfig([
  {
    ...common,
    name: "library",
    entry: {
      index: "src/index.ts",
      "store/sqlite/index": "src/store/sqlite/index.ts",
      "testing/index": "src/testing/index.ts",
      "testing/calculator/server": "src/testing/calculator/server.ts",
    },
    dts: true,
    outputOptions: { chunkFileNames: "chunks/[name]-[hash].js" },
  },
  {
    ...common,
    name: "command line",
    entry: { main: "src/main.ts" },
    dts: false,
    deps: {
      neverBundle: outside,
      alwaysBundle: (id) => !outside.some((name) => id === name || id.startsWith(`${name}/`)),
      onlyBundle: false,
    },
    define: { "process.env.NODE_ENV": '"production"' },
    minify: "dce-only",
    outputOptions: { chunkFileNames: "main/[name]-[hash].js" },
  },
]);
