/** Where the calculator's process is found: built beside this package, or bundled for the tests of a checkout. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { McpServerEntry } from "../../tools/mcp/config.ts";

/** The entry of a configuration's `mcpServers` that starts a calculator over stdio; its annotations are trusted. */
export function calculatorServer({ log }: { readonly log?: string } = {}): McpServerEntry {
  const file = calculatorFile();
  if (!existsSync(file)) {
    throw new Error(`${file} does not exist: build the package, or run the tests through vitest, which bundles it.`);
  }
  return {
    command: process.execPath,
    args: [file, ...(log === undefined ? [] : ["--log", log])],
    trustAnnotations: true,
  };
}

/** Node 20 does not run TypeScript, so a checkout uses a bundle; whoever runs it from there makes it first. */
export function calculatorFile(): string {
  const self = fileURLToPath(import.meta.url);
  let root = dirname(self);
  while (!existsSync(join(root, "package.json"))) root = dirname(root);
  return self.endsWith(".ts")
    ? join(root, "node_modules", ".cache", "dacapo", "calculator.js")
    : join(root, "dist", "testing", "calculator", "server.js");
}
