/** Names of files as text: a name may hold line breaks, and where names are listed one line is one name. */

/** As it is, or as a JSON string if it has line breaks or other control characters. */
export function printable(name: string): string {
  return BREAKING.test(name) ? escaped(name) : name;
}

/** In quotes. */
export function quoted(name: string): string {
  return BREAKING.test(name) ? escaped(name) : `"${name}"`;
}

const BREAKING = /[\p{Cc}\u2028\u2029]/u;

function escaped(name: string): string {
  return JSON.stringify(name).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
