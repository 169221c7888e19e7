/** Text for people: cut to a line, safe for a terminal, and numbers and times in few characters. */
import { mapText } from "../core/json.ts";
import type { JsonValue } from "../core/json.ts";
import { safeText } from "./safe-text.ts";

/** A value whose texts are all safe to show: each view takes what it was given through here first, then colours. */
export function forEyes<T>(value: T): T {
  return mapText(value as JsonValue, safeText) as T;
}

/** The text on one line of at most so many characters. */
export function oneLine(text: string, width: number): string {
  const line = safeText(text).replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join("")}…`;
}

/** With commas; loading the system's own number formats takes longer than all the rest. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function plural(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
}

export function costText(cost: number | null): string {
  if (cost === null) return "cost unknown";
  return cost > 0 && cost < 0.01 ? "under $0.01" : `$${cost.toFixed(2)}`;
}

const AGES = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const;

/** How long ago, in its largest unit. */
export function ageText(since: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(since));
  const [unitMs, unit] = AGES.find(([size]) => ms >= size) ?? [1_000, "s"];
  return `${Math.floor(ms / unitMs)} ${unit}`;
}

/** Rows in columns, each as wide as its widest cell; the last one is as it is. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>((widest, row) => {
    row.forEach((cell, at) => (widest[at] = Math.max(widest[at] ?? 0, cell.length)));
    return widest;
  }, []);
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
