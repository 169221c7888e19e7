/** The record of what the calculator did, so that a test can count how often an effect happened, whoever was killed meanwhile. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/** One executed call. `idempotencyKey` is what the client sent, if it sent one. */
export interface CalculatorEffect {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
}

/** One line, `tool args idempotencyKey`, on the disk when this returns. */
export function appendEffect(file: string, { tool, args, idempotencyKey = "-" }: CalculatorEffect): void {
  const handle = openSync(file, "a");
  try {
    writeSync(handle, `${tool} ${JSON.stringify(args)} ${idempotencyKey}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What the calculators that were started with this log have done, in order; nothing if the file does not exist. */
export function calculatorEffects(file: string): readonly CalculatorEffect[] {
  return readLines(file).map((line) => {
    const first = line.indexOf(" ");
    const last = line.lastIndexOf(" ");
    const key = line.slice(last + 1);
    const args = JSON.parse(line.slice(first + 1, last)) as CalculatorEffect["args"];
    return { tool: line.slice(0, first), args, ...(key !== "-" && { idempotencyKey: key }) };
  });
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
