/** What hand-made tools and hooks share with the body of their story: gates and counts, which outlive every process. */
import { createGate } from "./gate.ts";
import type { Gate } from "./gate.ts";

export interface Props {
  /** The gate of that name, made when it is first asked for. */
  gate(name: string): Gate;
  /** Counts one more time that something happened. */
  count(what: string): void;
  /** How often it happened. */
  counted(what: string): number;
}

export function createProps(): Props & { releaseAll(): void } {
  const gates = new Map<string, Gate>();
  const counts = new Map<string, number>();
  return {
    gate(name) {
      const gate = gates.get(name) ?? createGate();
      gates.set(name, gate);
      return gate;
    },
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    counted: (what) => counts.get(what) ?? 0,
    releaseAll() {
      for (const gate of gates.values()) gate.release();
    },
  };
}
