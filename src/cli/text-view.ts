/** The live view for people: a line a commit and the text as it streams on stderr, the final answer on stdout. */
import { paletteFor } from "./colour.ts";
import type { Palette } from "./colour.ts";
import { noteLine, printLine, writeErr } from "./output.ts";
import { createNarrator } from "./render-entry.ts";
import type { EntryLine, Narrator } from "./render-entry.ts";
import { outcomeText, usageText } from "./render-outcome.ts";
import type { AnyOutcome } from "./render-outcome.ts";
import { oneLine } from "./render-text.ts";
import type { RunView } from "./run-view.ts";
import { safeText } from "./safe-text.ts";

const WHO_WIDTH = 12;
/** Of a line that is meant to be one. */
const WIDTH = 400;

function entryText({ who, what }: EntryLine, { cyan, dim }: Palette): string {
  return `${cyan(who.padEnd(WHO_WIDTH))} ${dim(what)}`;
}

function colouredOutcome(outcome: AnyOutcome, { bold, green, red, yellow }: Palette): string {
  const colour = outcome.status === "completed" ? green : outcome.status === "failed" ? red : yellow;
  return bold(colour(safeText(outcomeText(outcome))));
}

/** With `lines: "stdout"`, what was committed is the result, and the answer is not told apart. An unfinished turn has none. */
export function createTextView(lines: "stderr" | "stdout"): RunView {
  const palette = paletteFor(process[lines], process.env);
  const print = lines === "stderr" ? noteLine : printLine;
  const stream = createTextStream();
  let narrator: Narrator | undefined;
  return {
    start(session) {
      narrator = createNarrator(session);
      const { id, model, mode, workspace } = session.session;
      const where = oneLine(`session ${id}: ${model}, mode ${mode}, in ${workspace}`, WIDTH);
      noteLine(paletteFor(process.stderr, process.env).dim(where));
    },
    entry(entry) {
      const streamed = stream.close();
      if (narrator) print(entryText(narrator.lineOf(entry, streamed), palette));
    },
    event(event) {
      if (event.type === "text-delta") stream.write(event.text);
      if (event.type === "draft-discarded") stream.close("[this reply was cut off and is abandoned]");
    },
    end({ outcome, usage, text }, goOn) {
      stream.close();
      const colours = paletteFor(process.stderr, process.env);
      noteLine(`${colouredOutcome(outcome, colours)} ${colours.dim(`(${usageText(usage)})`)}`);
      for (const line of goOn) noteLine(line);
      if (lines === "stdout" || outcome.status !== "completed") return;
      // On one terminal the answer has been read already, as it streamed.
      const seen = process.stdout.isTTY && process.stderr.isTTY && stream.last() === text.trim();
      if (text.trim() !== "" && !seen) printLine(safeText(text).trimEnd());
    },
  };
}

/** The text that streams, set apart from the lines around it. */
function createTextStream() {
  let [text, last] = ["", ""];
  return {
    write(delta: string): void {
      text += delta;
      writeErr(safeText(delta));
    },
    /** Whether any text had streamed. */
    close(remark = ""): boolean {
      if (text === "") return false;
      writeErr(`${text.endsWith("\n") ? "" : "\n"}${remark === "" ? "" : `${remark}\n`}`);
      last = text.trim();
      text = "";
      return true;
    },
    last: () => last,
  };
}
