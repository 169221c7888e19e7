/** A failed model request is tried again later by a durable timer, or ends the turn with an honest error. */
import type { EffectOf } from "../core/effect.ts";
import type { ErrorKind } from "../core/error.ts";
import type { TimerId } from "../core/ids.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { Answer, StepContext } from "../core/operation.ts";
import type { Timer, Turn } from "../core/session.ts";
import { endTurn, notice, sentence } from "./notice.ts";

/** How many model requests in a row may fail before the turn does. */
const MAX_ATTEMPTS = 4;
/** Waits after the first, second, … failure where the provider named none. */
const BACK_OFF_MS = 1_000;
/** A provider that asks for a longer wait than this is not waited for. */
const LONGEST_WAIT_MS = 10 * 60_000;
const PURPOSE = "retry";

const RETRYABLE: ReadonlySet<ErrorKind> = new Set([
  "model_overloaded",
  "model_rate_limited",
  "model_unavailable",
  "model_invalid_output",
]);

const ADVICE: Partial<Record<ErrorKind, string>> = {
  model_overloaded: "Continue in a few minutes, or choose another model.",
  model_rate_limited: "Continue later, or choose another model or account.",
  model_unavailable: "Check the network and the provider's status, then continue.",
  model_auth: "Check the API key that is configured for this provider and that it may use this model.",
  model_invalid_request: "Check the model's name and settings; continuing unchanged would fail in the same way.",
  model_invalid_output: "Continue to ask again, or choose another model.",
  context_overflow:
    "The conversation is longer than the model can read: go on in a new session with less, or choose a model with a larger window.",
};

type ModelError = NonNullable<Turn["error"]>;

type Move =
  | { readonly do: "clear"; readonly timerId: TimerId }
  | { readonly do: "wait"; readonly error: ModelError; readonly attempts: number; readonly waitMs: number }
  | { readonly do: "fail"; readonly error: ModelError; readonly attempts: number };

type Write = EffectOf<"message.append" | "timer.set" | "timer.clear" | "turn.end">;

/**
 * Kinds that may pass are tried four times in all, after the wait that the provider asked for or else 1, 2 and 4 seconds; a
 * wait of more than ten minutes, any other kind and the fourth failure end the turn. The timer is in the session: whoever
 * steps it at its time goes on.
 */
export function retry() {
  return defineOperation({
    name: "retry",
    reads: ["turn", "timers"],
    writes: ["message.append", "timer.set", "timer.clear", "turn.end"],
    durability: "on-barrier",
    claim({ turn, timers }, now): Answer<Move> {
      if (turn?.phase === "wait") return whenDue(timers, now);
      if (turn?.phase !== "error" || !turn.error) return pass("no model error is open and no timer runs");
      return answered(turn.error, turn.attempts);
    },
    async *run(move, ctx) {
      switch (move.do) {
        case "clear":
          yield [{ type: "timer.clear", id: move.timerId }];
          return;
        case "wait":
          yield waiting(move, ctx);
          return;
        case "fail":
          yield failing(move, ctx);
          return;
        default:
          move satisfies never;
      }
    },
  });
}

function whenDue(timers: readonly Timer[], now: number): Answer<Move> {
  const timer = timers.find(({ purpose }) => purpose === PURPOSE);
  if (!timer) return pass("what runs is no retry timer");
  if (timer.until > now) return pass(`waits until ${isoTime(timer.until)}`);
  return claim({ do: "clear", timerId: timer.id }, "the time to try again has come");
}

function answered(error: ModelError, attempts: number): Answer<Move> {
  if (!RETRYABLE.has(error.kind))
    return claim({ do: "fail", error, attempts }, `${error.kind} does not pass by itself`);
  if (attempts >= MAX_ATTEMPTS) return claim({ do: "fail", error, attempts }, `${attempts} attempts failed`);
  const waitMs = Math.max(0, error.retryAfterMs ?? BACK_OFF_MS * 2 ** (attempts - 1));
  if (waitMs > LONGEST_WAIT_MS) return claim({ do: "fail", error, attempts }, "the provider asks for too long a wait");
  return claim({ do: "wait", error, attempts, waitMs }, `attempt ${attempts} failed with ${error.kind}`);
}

function waiting({ error, attempts, waitMs }: Extract<Move, { do: "wait" }>, ctx: StepContext): readonly Write[] {
  const until = ctx.now() + waitMs;
  const when = `in ${Math.ceil(waitMs / 1_000)} s, at ${isoTime(until)}`;
  return [
    { type: "timer.set", timer: { id: ctx.newId(), purpose: PURPOSE, until } },
    notice(
      ctx,
      `The model request failed: ${sentence(error.message)} Attempt ${attempts + 1} of ${MAX_ATTEMPTS} follows ${when}.`,
    ),
  ];
}

function failing({ error, attempts }: Extract<Move, { do: "fail" }>, ctx: StepContext): readonly Write[] {
  const { kind, retryAfterMs } = error;
  const often = attempts > 1 ? `${attempts} model requests in a row failed; the last one` : "The model request failed";
  const message = ctx.clean(`${often}: ${sentence(error.message)}`);
  const advice =
    RETRYABLE.has(kind) && retryAfterMs !== undefined
      ? `The provider asks to wait: it could work again at ${isoTime(ctx.now() + retryAfterMs)}.`
      : ADVICE[kind];
  return [
    notice(ctx, advice ? `${message} ${advice}` : message),
    endTurn({ status: "failed", error: { kind, message } }),
  ];
}

/** The last moment that a Date can hold stands for any later one. */
function isoTime(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}
