/** What a run says at its end, once and honestly: the outcome, what is pending, what it cost, the answer. */
import type { CallId, QuestionId, SessionId } from "./core/ids.ts";
import type { JsonObject } from "./core/json.ts";
import type { Lifecycle } from "./core/lifecycle.ts";
import { textOf } from "./core/message.ts";
import type { Outcome } from "./core/outcome.ts";
import { costOf } from "./core/session.ts";
import type { ModelTotals, Session } from "./core/session.ts";

export type Pending =
  | {
      readonly type: "approval";
      readonly session: SessionId;
      readonly callId: CallId;
      readonly tool: string;
      readonly args: JsonObject;
      readonly reason: string;
    }
  | {
      readonly type: "question";
      readonly session: SessionId;
      readonly questionId: QuestionId;
      readonly callId: CallId | null;
      readonly question: string;
      readonly schema: JsonObject | null;
    };

/**
 * `usage` is the whole session's; `cost` is in USD, null where a price is unknown. `text` is the turn's last answer, or empty.
 * `open`: after a single step there is more to do.
 */
export interface Report {
  readonly type: "outcome";
  readonly outcome:
    | Outcome
    | { readonly status: "open"; readonly lifecycle: Lifecycle }
    | { readonly status: "failed"; readonly error: { readonly kind: "usage"; readonly message: string } };
  readonly pending: readonly Pending[];
  readonly usage: Omit<ModelTotals, "cacheWriteTokens">;
  readonly text: string;
}

/** A session that never had a turn has nothing to report: that is bad usage. */
export function reportOf(session: Session, outcome: Report["outcome"] | undefined): Report {
  return {
    type: "outcome",
    outcome: outcome ?? {
      status: "failed",
      error: { kind: "usage", message: `session ${session.session.id} has no turn yet; send a prompt first` },
    },
    pending: pendingOf(session),
    usage: usageOf(session),
    text: answerOf(session),
  };
}

/** The report of what never reached a session. */
export function emptyReport(outcome: Report["outcome"]): Report {
  return {
    type: "outcome",
    outcome,
    pending: [],
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cost: 0 },
    text: "",
  };
}

function pendingOf(session: Session): readonly Pending[] {
  const { id } = session.session;
  const approvals = [...session.calls.open.values()]
    .filter((call) => call.status === "awaiting_approval")
    .map((call): Pending => ({
      type: "approval",
      session: id,
      callId: call.id,
      tool: call.tool,
      args: call.args ?? {},
      reason: call.askReason ?? "",
    }));
  const questions = session.questions.map((question): Pending => ({
    type: "question",
    session: id,
    questionId: question.id,
    callId: question.callId ?? null,
    question: question.question,
    schema: question.schema ?? null,
  }));
  return [...approvals, ...questions];
}

function usageOf(session: Session): Report["usage"] {
  let [inputTokens, outputTokens, cachedInputTokens] = [0, 0, 0];
  for (const totals of Object.values(session.usage)) {
    inputTokens += totals.inputTokens;
    outputTokens += totals.outputTokens;
    cachedInputTokens += totals.cachedInputTokens;
  }
  return { inputTokens, outputTokens, cachedInputTokens, cost: costOf(session.usage) };
}

function answerOf(session: Session): string {
  const { turn } = session;
  const last = turn?.lastReply && session.messages.get(turn.lastReply.messageId);
  return last ? textOf(last.parts) : "";
}
