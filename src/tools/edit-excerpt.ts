/** Shows what an edit changed as the hunks of a unified diff; an edit knows its places, so nothing has to be compared. */
import { countText, cutText } from "./text-size.ts";

const CONTEXT = 3;
const MOST_HUNKS = 3;
const MOST_LINES = 40;
const LONGEST_LINE = 300;

/** One replaced region, as offsets in the text before and the text after. */
export interface Change {
  readonly before: { readonly start: number; readonly end: number };
  readonly after: { readonly start: number; readonly end: number };
}

export function editExcerpt(before: string, after: string, changes: readonly Change[]): string {
  const hunks = changes.slice(0, MOST_HUNKS).map((change) => hunk(before, after, change));
  const hidden = changes.length - hunks.length;
  return [...hunks, ...(hidden > 0 ? [`[and ${countText(hidden, "more place")}]`] : [])].join("\n");
}

function hunk(before: string, after: string, change: Change): string {
  const old = regionOf(before, change.before);
  const now = regionOf(after, change.after);
  const above = linesBefore(before, old.start);
  const below = linesAfter(before, old.end);
  const [removed, added, head, tail] = withoutCommon(old.lines, now.lines);
  const context = { above: [...above, ...head].slice(-CONTEXT), below: [...tail, ...below].slice(0, CONTEXT) };
  const firstOld = lineNumber(before, old.start) + head.length - context.above.length;
  const firstNew = lineNumber(after, now.start) + head.length - context.above.length;
  const around = context.above.length + context.below.length;
  return [
    `@@ -${firstOld},${removed.length + around} +${firstNew},${added.length + around} @@`,
    ...marked(" ", context.above),
    ...marked("-", removed),
    ...marked("+", added),
    ...marked(" ", context.below),
  ].join("\n");
}

/** The whole lines that a region touches, without the line ending of the last one. */
function regionOf(text: string, region: { readonly start: number; readonly end: number }) {
  const start = region.start === 0 ? 0 : text.lastIndexOf("\n", region.start - 1) + 1;
  const stop = region.end >= textEnd(text) ? textEnd(text) : text.indexOf("\n", region.end);
  const end = stop === -1 ? text.length : stop;
  return { start, end, lines: end < start ? [] : text.slice(start, end).split("\n") };
}

function linesBefore(text: string, start: number): string[] {
  let from = start;
  for (let lines = 0; lines < CONTEXT && from > 0; lines += 1)
    from = from === 1 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
  return from === start ? [] : text.slice(from, start - 1).split("\n");
}

function linesAfter(text: string, end: number): string[] {
  return end >= textEnd(text) ? [] : text.slice(end + 1, textEnd(text)).split("\n", CONTEXT);
}

/** Where the last line ends: its line ending begins no further line. */
function textEnd(text: string): number {
  return text.endsWith("\n") ? text.length - 1 : text.length;
}

/** The lines that differ, and the equal ones at both ends. */
function withoutCommon(old: readonly string[], now: readonly string[]) {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    old.slice(head, old.length - tail),
    now.slice(head, now.length - tail),
    old.slice(0, head),
    old.slice(old.length - tail),
  ] as const;
}

function marked(mark: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, MOST_LINES).map((line) => mark + cutText(line.replace(/\r$/, ""), LONGEST_LINE));
  const hidden = lines.length - shown.length;
  return hidden > 0 ? [...shown, `${mark}… ${countText(hidden, "more line")}`] : shown;
}

function lineNumber(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
