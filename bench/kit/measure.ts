/** What a measured process tells about itself, and the few numbers that are made of many. */
import { statSync } from "node:fs";

/** Milliseconds of the processor since the process began, its helper threads included. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export interface Took {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Wall clock and processor from here on, in milliseconds. */
export function startWatch(): () => Took {
  const [wall, cpu] = [performance.now(), cpuMs()];
  return () => ({ wallMs: performance.now() - wall, cpuMs: cpuMs() - cpu });
}

/** The most memory that the process ever had, in MB. */
export function peakRssMb(): number {
  return process.resourceUsage().maxRSS / 1_024;
}

/** Bytes of a database that is closed: its log was copied into it. */
export function bytesOf(path: string): number {
  return statSync(path).size;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The times between ticks: of a whole run, of its ends, and how far the slowest is from the usual. */
export function shapeOf(ticks: readonly number[]): Record<string, number> {
  const rounds = ticks.slice(1).map((tick, at) => tick - (ticks[at] ?? 0));
  return {
    first10Ms: mean(rounds.slice(0, 10)),
    last10Ms: mean(rounds.slice(-10)),
    early100Ms: median(rounds.slice(100, 200)),
    late100Ms: median(rounds.slice(-100)),
    medianMs: median(rounds),
    p99Ms: quantile(rounds, 0.99),
  };
}

/** The one line that a measured process prints. */
export function report(numbers: Readonly<Record<string, number>>): void {
  console.log(JSON.stringify(numbers));
}
