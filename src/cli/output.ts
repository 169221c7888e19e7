/** Where a command writes: results on stdout, everything else on stderr, and a reader who left is no failure. */
import { once } from "node:events";
import { onlyColours } from "./colour.ts";

export type OutputFormat = "text" | "json" | "stream-json";
export const OUTPUT_FORMATS: readonly OutputFormat[] = ["text", "json", "stream-json"];

const left = new WeakSet<NodeJS.WriteStream>();

/** To be called once: a pipe whose reader has gone must not end a run that is writing to a session. */
export function toleratePipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      left.add(stream);
      if (error.code === "EPIPE") return;
      process.exitCode = 1;
      noteLine(`dacapo: the output could not be written: ${error.message}`);
    });
  }
}

/** For people, like all lines but data: whoever wrote what is in it, it obeys no terminal and has no colours but ours. */
export function writeErr(text: string): void {
  if (!left.has(process.stderr)) process.stderr.write(onlyColours(text));
}

export function writeOut(text: string): void {
  if (!left.has(process.stdout)) process.stdout.write(onlyColours(text));
}

export function printLine(line: string): void {
  writeOut(`${line}\n`);
}

/** A line for programs, as it is. Resolves when the reader has taken what was waiting, or has left. */
export async function printData(line: string): Promise<void> {
  const { stdout } = process;
  if (left.has(stdout) || stdout.write(`${line}\n`)) return;
  const over = new AbortController();
  const { signal } = over;
  // A failing write is told to `toleratePipes`; here it is only the end of the waiting.
  await Promise.race([once(stdout, "drain", { signal }), once(stdout, "close", { signal })]).catch(() => undefined);
  over.abort();
}

export function noteLine(line: string): void {
  writeErr(`${line}\n`);
}

export function printJson(value: object): void {
  void printData(JSON.stringify(value));
}

/** How long a reader who lags may take for the last line. */
const LAST_LINE_MS = 1_000;

/** Ends the process, at once if the reader keeps up: nothing but the last line is printed from here on. */
export function leave(code: number, last?: object): void {
  const { stdout } = process;
  if (last === undefined || left.has(stdout)) process.exit(code);
  left.add(stdout);
  setTimeout(() => process.exit(code), LAST_LINE_MS);
  stdout.write(`${JSON.stringify(last)}\n`, () => process.exit(code));
}

/**
 * The format that the arguments ask for, found without parsing them: arguments that cannot be parsed are answered in it too.
 */
export function formatOf(args: readonly string[]): OutputFormat {
  const end = args.indexOf("--");
  const flags = end === -1 ? args : args.slice(0, end);
  const told = flags.flatMap((flag, at) =>
    flag === "--output" ? [flags[at + 1]] : flag.startsWith("--output=") ? [flag.slice("--output=".length)] : [],
  );
  const format = OUTPUT_FORMATS.find((known) => known === told.at(-1));
  return format ?? (flags.includes("--json") ? "json" : "text");
}
