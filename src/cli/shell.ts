/** Command lines that can be copied into a shell as they are printed. */

/** A word as a POSIX shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** How this command is called here: through npx where npm started it, for then it is on nobody's path. */
export function programName(environment: Readonly<Record<string, string | undefined>>): string {
  return environment["npm_lifecycle_event"] === undefined ? "dacapo" : "npx dacapo";
}

export function commandLine(words: readonly string[]): string {
  return [programName(process.env), ...words.map(quoted)].join(" ");
}
