/** The calculator itself: what all connections to one calculator share. */
import { appendEffect, type CalculatorEffect } from "./journal.ts";

const BARRIER_MS = 10_000;

export interface CalculatorOptions {
  /** File that gets one line per executed call. */
  readonly log?: string;
  /** What the tool `crash` does. */
  readonly crash: () => void;
}

export interface Calculator {
  readonly crash: () => void;
  total(): number;
  /** The result becomes the running total; without `b`, the running total is the left operand. */
  compute(operator: "+" | "-" | "*" | "/", a: number, b: number | undefined): number;
  reset(): void;
  record(effect: CalculatorEffect): void;
  /** Resolves to true when `n` calls wait at the barrier of that name, to false if they do not come within 10 s. */
  arrive(name: string, n: number): Promise<boolean>;
}

export function createCalculator({ log, crash }: CalculatorOptions): Calculator {
  let total = 0;
  const barriers = new Map<string, ((isComplete: boolean) => void)[]>();
  return {
    crash,
    total: () => total,
    compute(operator, a, b) {
      const [left, right] = b === undefined ? [total, a] : [a, b];
      total = apply(operator, left, right);
      return total;
    },
    reset() {
      total = 0;
    },
    record(effect) {
      if (log !== undefined) appendEffect(log, effect);
    },
    async arrive(name, n) {
      const waiting = barriers.get(name) ?? [];
      barriers.set(name, waiting);
      return await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), BARRIER_MS);
        waiting.push((isComplete) => {
          clearTimeout(timer);
          resolve(isComplete);
        });
        if (waiting.length < n) return;
        barriers.delete(name);
        for (const release of waiting) release(true);
      });
    },
  };
}

function apply(operator: "+" | "-" | "*" | "/", left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      if (right === 0) throw new Error("cannot divide by zero");
      return left / right;
    default:
      return operator satisfies never;
  }
}
