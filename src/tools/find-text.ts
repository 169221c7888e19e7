/** Finds the text that an edit replaces, in a file with either kind of line ending. */

/** Where `oldText` stands, and both texts with the line endings of the file. */
export interface FoundText {
  readonly oldText: string;
  readonly newText: string;
  /** Offsets in the file, overlapping ones included. Empty if the text is not there. */
  readonly offsets: readonly number[];
}

/**
 * A model writes line feeds whatever the file has. Where all line endings of the file are alike, both texts get them;
 * where they are mixed, the text is looked for as it is and then with each kind.
 */
export function findText(content: string, oldText: string, newText: string): FoundText {
  const forms = formsFor(content).map((form) => ({ oldText: form(oldText), newText: form(newText) }));
  for (const form of forms) {
    const offsets = offsetsOf(content, form.oldText);
    if (offsets.length > 0) return { ...form, offsets };
  }
  return { oldText, newText, offsets: [] };
}

/** The offsets without those that overlap the one before. */
export function withoutOverlaps(offsets: readonly number[], length: number): readonly number[] {
  const kept: number[] = [];
  for (const offset of offsets) {
    const last = kept.at(-1);
    if (last === undefined || offset >= last + length) kept.push(offset);
  }
  return kept;
}

export function replaceAt(content: string, offsets: readonly number[], found: FoundText): string {
  const pieces: string[] = [];
  let from = 0;
  for (const offset of offsets) {
    pieces.push(content.slice(from, offset), found.newText);
    from = offset + found.oldText.length;
  }
  return [...pieces, content.slice(from)].join("");
}

type Form = (text: string) => string;
const asIs: Form = (text) => text;
const withLf: Form = (text) => text.replaceAll("\r\n", "\n");
const withCrlf: Form = (text) => withLf(text).replaceAll("\n", "\r\n");

function formsFor(content: string): readonly Form[] {
  const hasCrlf = content.includes("\r\n");
  const hasLf = /(?<!\r)\n/.test(content);
  if (hasCrlf && hasLf) return [asIs, withLf, withCrlf];
  if (hasCrlf) return [withCrlf];
  return hasLf ? [withLf] : [asIs, withLf];
}

function offsetsOf(content: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + 1)) offsets.push(at);
  return offsets;
}
