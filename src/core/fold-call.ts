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
  const after = moved(call, effect, moment);
  const open = new Map(calls.open);
  if (!isFinal(after.status)) {
    open.set(after.id, after);
    return { open, settled: calls.settled };
  }
  open.delete(after.id);
  return { open, settled: calls.settled.append(after) };
}

function requested(calls: Calls, effect: Of<"call.request">, { at, turnId }: Moment): Calls {
  if (callById(calls, effect.id)) violated("unique-call-id", `call ${effect.id} exists already`);
  const { id, messageId, providerId, tool, owner, server, declaration } = effect;
  const call: Call = {
    id,
    providerId,
    turnId,
    messageId,
    tool,
    status: "requested",
    owner,
    ...(server !== undefined && { server }),
    declaration,
    attempts: 0,
    times: { requested: at },
    requested: effect.requested,
  };
  return { open: new Map(calls.open).set(id, call), settled: calls.settled };
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

/** A call between two statuses: one copy, which is filled in. */
type Moving = { -readonly [K in keyof Call]: Call[K] };

function moved(call: Call, effect: Exclude<CallEffect, { type: "call.request" }>, { at }: Moment): Call {
  switch (effect.type) {
    case "call.admit":
      return admitted(call, effect);
    case "call.ask":
      return { ...call, status: next(call, "awaiting_approval"), askReason: effect.reason };
    case "call.decide":
      return decided(call, effect);
    case "call.dispatch":
      return dispatched(call, effect, at);
    case "call.wait":
      return { ...call, status: next(call, "waiting"), questionId: effect.questionId };
    case "call.settle":
      return settled(call, effect, at);
    default:
      return effect satisfies never;
  }
}

/** The status, if the table allows it after the one that the call has. */
function next(call: Call, status: CallStatus): CallStatus {
  if (!CALL_TABLE[call.status].includes(status)) {
    violated("call-table", `call ${call.id} may not go from ${call.status} to ${status}`);
  }
  return status;
}

function admitted(call: Call, { args, hash, subject, edited, repaired }: Of<"call.admit">): Call {
  const admitting: Moving = { ...call, ...repaired, status: next(call, "admitted"), args, hash };
  if (subject !== undefined) admitting.subject = subject;
  if (edited) admitting.edited = edited;
  return admitting;
}

function decided(call: Call, { decision }: Of<"call.decide">): Call {
  if (decision.hash !== call.hash) {
    violated("decision-binds-arguments", `the decision about call ${call.id} was made for other arguments`);
  }
  if (decision.verdict !== "approved") violated("denial-is-a-result", `call ${call.id} is denied by settling it`);
  return { ...call, status: next(call, "approved"), decision };
}

/** A dispatch that names a process goes on with the attempt that is running; any other is one more attempt. */
function dispatched(call: Call, { epoch, process }: Of<"call.dispatch">, at: number): Call {
  const dispatching: Moving = { ...call, status: next(call, "dispatched"), epoch };
  if (process) {
    dispatching.process = process;
    return dispatching;
  }
  if (dispatching.process) delete dispatching.process;
  dispatching.attempts += 1;
  dispatching.times = { ...call.times, dispatched: at };
  return dispatching;
}

function settled(call: Call, { status, messageId, decision }: Of<"call.settle">, at: number): Call {
  const settling: Moving = { ...call, status: next(call, status), resultMessageId: messageId };
  if (decision) settling.decision = decision;
  settling.times = { ...call.times, settled: at };
  return settling;
}
