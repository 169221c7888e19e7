/** Breaks the long lines of a text that comes in pieces, so that a reader who takes whole lines can reach all of it. */

/** No line is longer than `limit` UTF-16 units; characters and lines that are short enough stay whole. The pieces may be cut anywhere. */
export function* wrapLines(pieces: Iterable<string>, limit: number): Iterable<string> {
  let column = 0;
  let half = "";
  for (const piece of pieces) {
    const text = half + piece;
    half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    const wrapped: string[] = [];
    for (const line of text.slice(0, text.length - half.length).split(/(?<=\n)/)) {
      const isWhole = line.endsWith("\n");
      column = wrapLine(isWhole ? line.slice(0, -1) : line, { column, limit, wrapped });
      if (!isWhole) continue;
      wrapped.push("\n");
      column = 0;
    }
    yield wrapped.join("");
  }
  if (half !== "") yield half;
}

/** Gives the column at which the line ends. */
function wrapLine(
  line: string,
  { column, limit, wrapped }: { readonly column: number; readonly limit: number; readonly wrapped: string[] },
): number {
  let at = 0;
  let room = limit - column;
  while (line.length - at > room) {
    const end = isPair(line, at + room - 1) ? at + room - 1 : at + room;
    wrapped.push(line.slice(at, end), "\n");
    at = end;
    room = limit;
  }
  wrapped.push(line.slice(at));
  return limit - room + line.length - at;
}

/** Whether a character of two units begins there. */
function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
