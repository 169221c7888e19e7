/** The views for programs: JSON on stdout, and for whoever reads along, how to go on on stderr. */
import type { Entry } from "../core/entry.ts";
import { noteLine, printJson } from "./output.ts";
import type { Ending, RunView } from "./run-view.ts";

export const jsonView: RunView = {
  start: () => undefined,
  entry: () => undefined,
  event: () => undefined,
  end: printEnding,
};

export const streamJsonView: RunView = {
  start: ({ session, seq }) => printJson({ type: "session", id: session.id, seq }),
  entry: (entry) => printJson(streamedEntry(entry)),
  event: printJson,
  end: printEnding,
};

function printEnding(ending: Ending, goOn: readonly string[]): void {
  for (const line of goOn) noteLine(line);
  printJson(ending);
}

function streamedEntry(entry: Entry): object {
  if (entry.type === "input") return { type: "entry", seq: entry.seq, input: entry.input };
  const { seq, turn, operation, reason, effects, from, to } = entry;
  return { type: "entry", seq, turn, operation, reason, effects, from, to };
}
