/** Measures in processes of their own, one at a time, each with a file of its own. */
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));

export type Numbers = Readonly<Record<string, number>>;

/** Runs `bench/dist/NAME.js ARGS` and gives the numbers of its last line. Throws with its errors if it fails. */
export async function measure(name: string, ...args: readonly (string | number)[]): Promise<Numbers> {
  const { stdout } = await run(process.execPath, [join(here, `${name}.js`), ...args.map(String)], {
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Numbers;
}

/** A number that must be there. */
export function of(numbers: Numbers, name: string): number {
  const value = numbers[name];
  if (value === undefined || Number.isNaN(value)) throw new Error(`a measured process said nothing of ${name}`);
  return value;
}

/** Throws unless everything that was made is in the file: complete, without gaps, and as its hashes say. */
export async function checkOurs(path: string, sessions: number, rounds: number): Promise<void> {
  const counted = await measure("count", "ours", path);
  const wanted: Numbers = {
    sessions,
    messages: sessions * (2 * rounds + 2),
    calls: sessions * rounds,
    succeeded: sessions * rounds,
    gaps: 0,
    unfinished: 0,
    damage: 0,
  };
  for (const [what, number] of Object.entries(wanted)) {
    if (of(counted, what) !== number)
      throw new Error(`${path} has ${counted[what]} ${what}, and should have ${number}`);
  }
}

export async function checkFloor(path: string, sessions: number, writes: number): Promise<void> {
  const counted = await measure("count", "floor", path);
  for (const what of ["messages", "steps", "versions"]) {
    if (of(counted, what) !== sessions * writes) throw new Error(`${path} has ${counted[what]} ${what}`);
  }
}
