/** `dacapo sessions list`: which sessions there are, how they stand, who holds them. */
import { existsSync } from "node:fs";
import type { SessionSummary } from "../core/store.ts";
import { paletteFor } from "./colour.ts";
import { withApp } from "./open-app.ts";
import type { AppFlags } from "./open-app.ts";
import { noteLine, printJson, printLine } from "./output.ts";
import { databasePath, workspaceAt } from "./place.ts";
import { ageText, costText, forEyes, oneLine, table } from "./render-text.ts";

export interface ListFlags extends AppFlags {
  readonly json?: boolean;
  readonly here?: boolean;
  readonly limit?: number;
}

export async function listSessions(flags: ListFlags): Promise<number> {
  const workspace = flags.here === true ? await workspaceAt(undefined) : undefined;
  const { limit } = flags;
  // Before the first run there is nothing to list, and that is no mistake; a path that somebody gave must be right.
  const unused = flags.db === undefined && !existsSync(databasePath(flags));
  const filter = { ...(workspace !== undefined && { workspace }), ...(limit !== undefined && { limit }) };
  const found = unused ? [] : await withApp(flags, (app) => app.sessions.list(filter));
  if (flags.json === true) printJson(found);
  else printTable(found);
  return 0;
}

function printTable(found: readonly SessionSummary[]): void {
  if (found.length === 0) {
    noteLine("There is no session yet. `dacapo run PROMPT` starts one.");
    return;
  }
  const [head = "", ...rows] = listLines(found, new Date().getTime());
  printLine(paletteFor(process.stdout, process.env).bold(head));
  for (const row of rows) printLine(row);
}

export function listLines(found: readonly SessionSummary[], now: number): readonly string[] {
  return table([
    ["ID", "STANDS", "COST", "CHANGED", "MODEL", "TITLE"],
    ...forEyes(found).map((session) => [
      session.id,
      standing(session),
      session.cost === null ? "unknown" : costText(session.cost),
      `${ageText(session.updatedAt, now)} ago`,
      session.model,
      oneLine(session.title ?? "", 60),
    ]),
  ]);
}

function standing({ lifecycle, outcome, holder }: SessionSummary): string {
  if (holder) return `held by process ${holder.owner.pid}${holder.owner.host === "" ? "" : ` on ${holder.owner.host}`}`;
  if (lifecycle === "deciding" || lifecycle === "acting") return "stopped in mid-turn";
  return (outcome?.status ?? lifecycle).replaceAll("_", " ");
}
