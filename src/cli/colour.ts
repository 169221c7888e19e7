/** Colours for a terminal, and none anywhere else. */
import { safeText } from "./safe-text.ts";

export interface Palette {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** Off where the stream is no terminal, where NO_COLOR is set, and on terminals that know no colours. */
export function paletteFor(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Palette {
  const plain = environment["NO_COLOR"] !== undefined && environment["NO_COLOR"] !== "";
  return stream.isTTY === true && !plain && environment["TERM"] !== "dumb" ? COLOURS : NO_COLOURS;
}

/** What is about to be printed, with nothing left that a terminal obeys but our own colours. */
export function onlyColours(text: string): string {
  if (!text.includes(ESCAPE)) return safeText(text);
  return text
    .split(OURS)
    .map((piece) => (OURS.test(piece) ? piece : safeText(piece)))
    .join("");
}

const ESCAPE = "\u001B";
const OURS = new RegExp(`(${ESCAPE}\\[(?:1|2|22|31|32|33|36|39)m)`);

const wrap = (on: number, off: number) => (text: string) =>
  text === "" ? "" : `${ESCAPE}[${on}m${text}${ESCAPE}[${off}m`;

const COLOURS: Palette = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  red: wrap(31, 39),
  green: wrap(32, 39),
  yellow: wrap(33, 39),
  cyan: wrap(36, 39),
};

const same = (text: string): string => text;

const NO_COLOURS: Palette = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };
