/** How a session stands, in words. */
import type { Report } from "../report.ts";
import { costText, grouped, plural } from "./render-text.ts";

/** A report's outcome, or that of a run that gave up because another process holds the session. */
export type AnyOutcome = Report["outcome"] | { readonly status: "held"; readonly owner: HeldBy };

/** Who holds a session, as `--no-wait` says it. */
export interface HeldBy {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

export function outcomeText(outcome: AnyOutcome): string {
  switch (outcome.status) {
    case "completed":
    case "cancelled":
      return outcome.status;
    case "failed":
      return `failed (${outcome.error.kind}): ${outcome.error.message}`;
    case "budget":
      return `out of budget: ${outcome.used} of ${outcome.limit} ${BUDGETS[outcome.budget] ?? outcome.budget} used`;
    case "blocked":
    case "refused":
      return `${outcome.status}: ${outcome.reason}`;
    case "awaiting_approval":
      return "waits for your approval";
    case "awaiting_answer":
      return "waits for your answer";
    case "awaiting_retry":
      return `tries again at ${new Date(outcome.until).toISOString()}`;
    case "open":
      return `goes on (${outcome.lifecycle})`;
    case "held":
      return `held by process ${outcome.owner.pid} on ${outcome.owner.host}`;
    default:
      return outcome satisfies never;
  }
}

const BUDGETS: Readonly<Record<string, string>> = { inferences: "model calls" };

export function usageText({ inputTokens, outputTokens, cost }: Report["usage"]): string {
  return `${plural(inputTokens, "token")} in, ${grouped(outputTokens)} out, ${costText(cost)}`;
}

/** What a finished command exits with. A cancel says by which signal it came, where it came by one. */
export function exitCodeOf(outcome: AnyOutcome, signal?: "SIGINT" | "SIGTERM"): number {
  switch (outcome.status) {
    case "completed":
    case "open":
      return 0;
    case "failed":
      return outcome.error.kind === "usage" ? 2 : 1;
    case "awaiting_approval":
    case "awaiting_answer":
    case "awaiting_retry":
      return 3;
    case "budget":
      return 4;
    case "blocked":
    case "refused":
      return 5;
    case "held":
      return 6;
    case "cancelled":
      return signal === "SIGTERM" ? 143 : 130;
    default:
      return outcome satisfies never;
  }
}
