/** Takes a window of lines out of a text that may be larger than memory. */
import { wellFormed } from "../core/json.ts";
import { cutText } from "./text-size.ts";

/** UTF-16 units of a line that are shown. */
export const LONGEST_LINE = 2000;
const MOST_BYTES = 50 * 1024;

export interface LineWindow {
  /** The lines with their numbers, as the model sees them; cut ones end in a note. */
  readonly text: string;
  /** How many lines are in `text`. */
  readonly count: number;
  /** Whether more lines follow. If not, `total` is how many lines there are. */
  readonly more: boolean;
  readonly total: number;
  readonly hasCutLine: boolean;
}

/**
 * Reads chunks until `limit` lines from line `offset` (1 is the first) are taken, or 50 KB. Each line is its number, a tab
 * and its text without the line ending. The chunks are never joined: a line keeps its first 2000 characters only.
 */
export async function lineWindow(
  chunks: AsyncIterable<string> | Iterable<string>,
  offset: number,
  limit: number,
): Promise<LineWindow> {
  const window = createWindow(offset, limit);
  for await (const chunk of chunks) {
    if (!window.take(chunk)) return window.result(true);
  }
  window.finish();
  return window.result(false);
}

function createWindow(offset: number, limit: number) {
  const lines: string[] = [];
  let number = 1;
  let bytes = 0;
  let hasCutLine = false;
  let isFull = false;
  let kept = "";
  let length = 0;

  function extend(chunk: string, from: number, end: number): void {
    length += end - from;
    const room = LONGEST_LINE + 1 - kept.length;
    if (number >= offset && room > 0) kept += chunk.slice(from, Math.min(end, from + room));
  }
  function endLine(): void {
    if (number >= offset) keep();
    number += 1;
    kept = "";
    length = 0;
  }
  function keep(): void {
    const line = `${number}\t${shownLine(kept, length)}`;
    bytes += Buffer.byteLength(line) + 1;
    const isTooMuch = bytes > MOST_BYTES && lines.length > 0;
    if (!isTooMuch) lines.push(line);
    hasCutLine ||= !isTooMuch && length > LONGEST_LINE;
    isFull = isTooMuch || lines.length === limit;
  }
  return {
    /** False if the window was full before the chunk was used up. */
    take(chunk: string): boolean {
      let from = 0;
      while (from < chunk.length) {
        if (isFull) return false;
        const end = chunk.indexOf("\n", from);
        extend(chunk, from, end === -1 ? chunk.length : end);
        if (end === -1) return true;
        endLine();
        from = end + 1;
      }
      return true;
    },
    finish(): void {
      if (length > 0 && !isFull) endLine();
    },
    result(more: boolean): LineWindow {
      const isCutShort = more || offset + lines.length < number;
      return { text: lines.join("\n"), count: lines.length, more: isCutShort, total: number - 1, hasCutLine };
    },
  };
}

function shownLine(kept: string, length: number): string {
  if (length > LONGEST_LINE) return `${wellFormed(cutText(kept, LONGEST_LINE))}… [cut: ${length} characters]`;
  return wellFormed(kept.endsWith("\r") ? kept.slice(0, -1) : kept);
}
