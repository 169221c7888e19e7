/** `dacapo explain`: every operation with its answer, and which of them would act. */
import type { Explained } from "../sessions.ts";
import { paletteFor } from "./colour.ts";
import type { Palette } from "./colour.ts";
import { withApp } from "./open-app.ts";
import type { AppFlags } from "./open-app.ts";
import { printJson, printLine } from "./output.ts";
import { outcomeText } from "./render-outcome.ts";
import { forEyes, table } from "./render-text.ts";

export interface ExplainFlags extends AppFlags {
  readonly json?: boolean;
}

export async function explain(name: string, flags: ExplainFlags): Promise<number> {
  return withApp(flags, async (app) => {
    const explained = await app.sessions.explain(await app.sessions.find(name));
    if (flags.json === true) printJson(explained);
    else for (const line of explainedLines(explained, paletteFor(process.stdout, process.env))) printLine(line);
    return 0;
  });
}

export function explainedLines(explained: Explained, { bold, dim, green }: Palette): readonly string[] {
  const { session, seq, lifecycle, outcome, heldBy, operations, next } = forEyes(explained);
  const stands = outcome === null ? lifecycle : `${lifecycle}: ${outcomeText(outcome)}`;
  const rows = table(
    operations.map(({ operation, claims, why }) => [
      operation === next ? "->" : claims ? "+" : "",
      operation,
      why.replace(/\s+/g, " "),
    ]),
  );
  return [
    bold(`session ${session} at entry ${seq}, ${stands}`),
    ...(heldBy
      ? [
          `held by process ${heldBy.owner.pid} on ${heldBy.owner.host} until ${new Date(heldBy.expiresAt).toISOString()}; this is what the next owner would do`,
        ]
      : []),
    ...rows.map((row, at) =>
      operations[at]?.operation === next ? green(row) : operations[at]?.claims === true ? row : dim(row),
    ),
    next === null ? "nothing claims the session: it rests" : `next: ${next}`,
  ];
}
