/** Measures everything and tells which targets are met. `npm run bench -- [--quick] [--write] [--only W,H,C,R,S]`. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureCrowd } from "./kit/measure-crowd.ts";
import { measureHistory } from "./kit/measure-history.ts";
import { measureRounds } from "./kit/measure-rounds.ts";
import { measureStart } from "./kit/measure-start.ts";
import { machine, tableOf, writeResults } from "./kit/results.ts";
import type { Line } from "./kit/results.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, write: { type: "boolean" }, only: { type: "string" } },
});
const quick = values.quick ?? false;
const wanted = values.only?.split(",") ?? ["W", "H", "C", "R", "S"];
const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = mkdtempSync(join(tmpdir(), "dacapo-bench-"));

const bench = { folder, times: quick ? 3 : 5, quick };
const lines: Line[] = [];
try {
  if (wanted.includes("W")) lines.push(...(await measureRounds(bench)));
  if (wanted.includes("H") || wanted.includes("R")) lines.push(...(await measureHistory(bench)));
  if (wanted.includes("C")) lines.push(...(await measureCrowd(bench)));
  if (wanted.includes("S")) {
    const main = join(root, "dist", "main.js");
    if (existsSync(main)) lines.push(...(await measureStart(bench, main)));
    else console.log("dist/main.js is missing, so the start is not measured: npm run build makes it");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(`${machine()}\n\n${tableOf(lines)}`);
const flags = [...(quick ? ["--quick"] : []), ...(values.only ? [`--only ${values.only}`] : []), "--write"];
if (values.write) writeResults(join(root, "bench", "RESULTS.md"), `npm run bench -- ${flags.join(" ")}`, lines);
