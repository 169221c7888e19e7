/** The arguments of a measured process: who, how durable, how much. */
import type { Durability } from "./engine.ts";

export function argument(at: number): string {
  const value = process.argv[2 + at];
  if (value === undefined) throw new Error(`argument ${at + 1} is missing`);
  return value;
}

export function durabilityAt(at: number): Durability {
  const value = argument(at);
  if (value !== "normal" && value !== "full") throw new Error(`"${value}" is no durability`);
  return value;
}

export function numberAt(at: number): number {
  return Number(argument(at));
}
