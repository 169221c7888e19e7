/** Colours for a terminal, and none anywhere else. */

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

const wrap = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001B[${on}m${text}\u001B[${off}m`);

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
