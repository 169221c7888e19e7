/** Says why the text of an edit was not found, and what stands in the file that is most like it. */
import { similarity } from "./similarity.ts";
import { cutText } from "./text-size.ts";

const LEAST_SIMILARITY = 0.5;
const MOST_SHOWN_LINES = 12;
const LONGEST_SHOWN_LINE = 300;
/** Comparing every line of a large file with a long line would take seconds. */
const MOST_COMPARED_LINES = 20_000;

/** The reason and the nearest lines of the file, as sentences for the model. */
export function nearText(content: string, oldText: string): string {
  const lines = content.split(/\r?\n/);
  const wanted = oldText.split(/\r?\n/);
  if (hasLineNumbers(wanted)) {
    return "oldText begins its lines with line numbers: those are added by read and are not in the file. Leave them out.";
  }
  const sameButSpace = indexOfLines(lines, wanted, (line) => line.replaceAll(/\s+/g, ""));
  if (sameButSpace !== -1) return `${differs("white space", sameButSpace)}${shown(lines, sameButSpace, wanted.length)}`;
  const sameButCase = indexOfLines(lines, wanted, (line) => line.toLowerCase());
  if (sameButCase !== -1) {
    return `${differs("upper and lower case", sameButCase)}${shown(lines, sameButCase, wanted.length)}`;
  }
  const first = wanted.findIndex((line) => line.trim() !== "");
  const nearest = nearestLine(lines, wanted[first] ?? "");
  if (nearest === -1) return "Nothing like its first line is in the file: read the file again, or check the path.";
  const start = Math.max(0, nearest - Math.max(0, first));
  return `The nearest to its first line is line ${nearest + 1}:${shown(lines, start, wanted.length)}`;
}

function hasLineNumbers(lines: readonly string[]): boolean {
  return lines.every((line) => line === "" || /^\s*\d+\t/.test(line)) && lines.some((line) => line !== "");
}

function differs(what: string, index: number): string {
  return `The text at line ${index + 1} differs from it only in ${what}:`;
}

/** Where the lines stand if both sides are compared in this form; parts of the first and the last line are enough. */
function indexOfLines(lines: readonly string[], wanted: readonly string[], form: (line: string) => string): number {
  const formed = lines.slice(0, MOST_COMPARED_LINES).map(form);
  const text = `\n${formed.join("\n")}\n`;
  const needle = wanted.map(form).join("\n");
  if (needle.trim() === "") return -1;
  const at = text.indexOf(needle);
  if (at === -1) return -1;
  const before = text.slice(0, at).split("\n").length - 2;
  return Math.max(0, before);
}

function nearestLine(lines: readonly string[], wanted: string): number {
  const target = wanted.slice(0, LONGEST_SHOWN_LINE);
  let best = -1;
  let bestScore = LEAST_SIMILARITY;
  for (const [index, line] of lines.slice(0, MOST_COMPARED_LINES).entries()) {
    const score = similarity(line.slice(0, LONGEST_SHOWN_LINE), target);
    if (score <= bestScore) continue;
    best = index;
    bestScore = score;
  }
  return best;
}

function shown(lines: readonly string[], start: number, count: number): string {
  const part = lines.slice(start, start + Math.min(count, MOST_SHOWN_LINES));
  return `\n${part.map((line, at) => `${start + at + 1}\t${cutText(line, LONGEST_SHOWN_LINE)}`).join("\n")}`;
}
