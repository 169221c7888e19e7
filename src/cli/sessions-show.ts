/** `dacapo sessions show`: the conversation as a person reads it, or the whole session as JSON. */
import { projectionOf } from "../core/projection.ts";
import { paletteFor } from "./colour.ts";
import { withApp } from "./open-app.ts";
import type { AppFlags } from "./open-app.ts";
import { printJson, printLine } from "./output.ts";
import { liveLines, transcriptLines } from "./render-transcript.ts";

export interface ShowFlags extends AppFlags {
  readonly json?: boolean;
  readonly full?: boolean;
}

export async function showSession(name: string, flags: ShowFlags): Promise<number> {
  return withApp(flags, async (app) => {
    const id = await app.sessions.find(name);
    const session = await app.sessions.open(id);
    const live = await app.sessions.live(id);
    if (flags.json === true) {
      printJson({ ...projectionOf(session), live: live ?? null });
      return 0;
    }
    const lines = transcriptLines(session, {
      palette: paletteFor(process.stdout, process.env),
      resultLines: flags.full === true ? Number.POSITIVE_INFINITY : 12,
    });
    for (const line of [...lines, ...liveLines(live, session)]) printLine(line);
    return 0;
  });
}
