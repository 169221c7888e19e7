/** What effects mean for tool calls: each one is a move along the table of calls. */
import { CALL_TABLE, isFinal } from "./call.ts";
import type { Call, CallStatus } from "./call.ts";
import type { Effect } from "./effect.ts";
import type { CallId, TurnId } from "./ids.ts";
import { violated } from "./invariant.ts";
import { callById } from "./session.ts";
import type { Calls } from "./session.ts";

/** When a call moves, and in which turn. */
export interface Moment {
  readonly at: number;
  readonly turnId: TurnId;
}

export type CallEffect = Extract<Effect, { type: `call.${string}` }>;
type Of<T extends CallEffect["type"]> = Extract<CallEffect, { type: T }>;

export function foldCall(calls: Calls, effect: CallEffect, moment: Moment): Calls {
  if (effect.type === "call.request") return requested(calls, effect, moment);
  const call = openCall(calls, effect.id);
  const next = moved(call, effect, moment);
  const open = new Map(calls.open);
  if (!isFinal(next.status)) {
    open.set(next.id, next);
    return { open, settled: calls.settled };
  }
  open.delete(next.id);
  return { open, settled: calls.settled.append(next) };
}

function requested(calls: Calls, effect: Of<"call.request">, { at, turnId }: Moment): Calls {
  if (callById(calls, effect.id)) violated("unique-call-id", `call ${effect.id} exists already`);
  const { type: _type, ...request } = effect;
  const call: Call = { ...request, turnId, status: "requested", attempts: 0, times: { requested: at } };
  return { open: new Map(calls.open).set(call.id, call), settled: calls.settled };
}

function openCall(calls: Calls, id: CallId): Call {
  const call = calls.open.get(id);
  if (call) return call;
  const settled = calls.settled.get(id);
  return violated(
    "one-result-per-call",
    settled ? `call ${id} is ${settled.status} already` : `there is no call ${id}`,
  );
}

function moved(call: Call, effect: Exclude<CallEffect, { type: "call.request" }>, { at }: Moment): Call {
  switch (effect.type) {
    case "call.admit":
      return admitted(to(call, "admitted"), effect);
    case "call.ask":
      return { ...to(call, "awaiting_approval"), askReason: effect.reason };
    case "call.decide":
      return decided(call, effect);
    case "call.dispatch":
      return dispatched(call, effect, at);
    case "call.wait":
      return { ...to(call, "waiting"), questionId: effect.questionId };
    case "call.settle":
      return {
        ...to(call, effect.status),
        ...(effect.decision && { decision: effect.decision }),
        resultMessageId: effect.messageId,
        times: { ...call.times, settled: at },
      };
    default:
      return effect satisfies never;
  }
}

function to(call: Call, status: CallStatus): Call {
  if (!CALL_TABLE[call.status].includes(status)) {
    violated("call-table", `call ${call.id} may not go from ${call.status} to ${status}`);
  }
  return { ...call, status };
}

function admitted(call: Call, effect: Of<"call.admit">): Call {
  const { args, hash, subject, edited, repaired } = effect;
  return { ...call, ...repaired, args, hash, ...(subject !== undefined && { subject }), ...(edited && { edited }) };
}

function decided(call: Call, { decision }: Of<"call.decide">): Call {
  if (decision.hash !== call.hash) {
    violated("decision-binds-arguments", `the decision about call ${call.id} was made for other arguments`);
  }
  if (decision.verdict !== "approved") violated("denial-is-a-result", `call ${call.id} is denied by settling it`);
  return { ...to(call, "approved"), decision };
}

/** A dispatch that names a process goes on with the attempt that is running; any other is one more attempt. */
function dispatched(call: Call, effect: Of<"call.dispatch">, at: number): Call {
  const { epoch, process } = effect;
  if (process) return { ...to(call, "dispatched"), epoch, process };
  const { process: _gone, ...others } = to(call, "dispatched");
  return { ...others, epoch, attempts: call.attempts + 1, times: { ...call.times, dispatched: at } };
}
