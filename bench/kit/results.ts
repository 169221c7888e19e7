/** The table of targets and what was measured, for people. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import Sqlite from "better-sqlite3";

/** One line of the table. `value` is undefined if it could not be measured; `note` says with what. */
export interface Line {
  readonly target: string;
  readonly what: string;
  readonly wanted: string;
  readonly value: string | undefined;
  readonly met: boolean | undefined;
  readonly note: string;
}

export function atMost(limit: number, value: number): Pick<Line, "value" | "met"> {
  return { value: shown(value), met: value <= limit };
}

/** Three digits that count. */
export function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toPrecision(value >= 10 ? 3 : 2);
}

export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ target, what, wanted, value, met, note }) => {
    const answer = met === undefined ? "" : met ? "yes" : "**no**";
    return `| ${target} | ${what} | ${wanted} | ${value ?? "not measured"} | ${answer} | ${note} |`;
  });
  return ["| # | what | wanted | measured | met | with |", "|---|---|---|---|---|---|", ...rows].join("\n");
}

export function machine(): string {
  const [first] = cpus();
  const sqlite = new Sqlite(":memory:");
  const version = sqlite.prepare<[], string>("select sqlite_version()").pluck().get();
  sqlite.close();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores of ${first?.model.trim() ?? "unknown"}, ${memory} GB, ${process.platform}; Node ${process.version}, SQLite ${version}`;
}

const MARKER = "<!-- What is below this line is written by hand and kept. -->";

/** Writes the generated part and keeps the notes below the marker. */
export function writeResults(path: string, command: string, lines: readonly Line[]): void {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const notes = before.includes(MARKER) ? before.slice(before.indexOf(MARKER) + MARKER.length).trim() : "";
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  const text = [
    "# Measured",
    `\`${command}\` at ${commit} on ${day}: ${machine()}.`,
    "Every ratio is taken between processes that ran one after the other, ours and the floor in turn; medians.",
    tableOf(lines),
    MARKER,
    notes,
  ].join("\n\n");
  writeFileSync(path, `${text.trim()}\n`);
}
