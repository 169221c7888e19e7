/** The reducer and its tables: every move of a call and of a session's life that is not in a table is refused, by name. */
import { expect, test } from "vitest";
import { advance } from "../../src/core/advance.ts";
import { CALL_TABLE, CallStatus } from "../../src/core/call.ts";
import type { Effect } from "../../src/core/effect.ts";
import { emptySession, fold } from "../../src/core/fold.ts";
import type { CallId, MessageId, SessionId, TurnId } from "../../src/core/ids.ts";
import { LIFECYCLE_TABLE, Lifecycle } from "../../src/core/lifecycle.ts";
import type { Session } from "../../src/core/session.ts";

const call = "c" as CallId;
let messages = 0;
const message = (): MessageId => `m${(messages += 1)}` as MessageId;

/** The effects that take a call to a status, as an operation would write them. */
const to: Record<Exclude<CallStatus, "requested">, () => readonly Effect[]> = {
  admitted: () => [{ type: "call.admit", id: call, args: { a: 1 }, hash: "h" }],
  awaiting_approval: () => [{ type: "call.ask", id: call, reason: "asks" }],
  approved: () => [
    { type: "call.decide", id: call, decision: { verdict: "approved", hash: "h", by: "policy", reason: "" } },
  ],
  dispatched: () => [{ type: "call.dispatch", id: call, epoch: 1 }],
  waiting: () => [{ type: "call.wait", id: call, questionId: "q" as never }],
  succeeded: () => settled("succeeded"),
  failed: () => settled("failed"),
  denied: () => settled("denied"),
  interrupted: () => settled("interrupted"),
  unknown: () => settled("unknown"),
};

function settled(status: "succeeded" | "failed" | "denied" | "interrupted" | "unknown"): readonly Effect[] {
  const id = message();
  const part = { type: "result" as const, callId: call, isError: status !== "succeeded", content: [] };
  return [
    { type: "message.append", message: { id, kind: "result", parts: [part] } },
    { type: "call.settle", id: call, status, messageId: id },
  ];
}

function after(session: Session, effects: readonly Effect[]): Session {
  return advance(session, { at: 1, base: session.seq, index: 0, operation: "test", reason: "", effects }, 1).session;
}

/** A session with one call in a status. The shortest way there is found along the table. */
function withCall(status: CallStatus): Session {
  const id = message();
  const start = [
    [{ type: "session.create", workspace: "/", model: "m/m", mode: "ask", limits: { inferences: 9 } }],
    [{ type: "turn.start", id: "t" as TurnId }],
    [
      {
        type: "message.append",
        message: { id, kind: "reply", parts: [{ type: "call", callId: call }] },
        reply: { model: "m/m", finish: "calls", request: { system: "", tools: [] } },
      },
      {
        type: "call.request",
        id: call,
        messageId: id,
        providerId: "p",
        tool: "x",
        requested: {},
        owner: null,
        declaration: null,
      },
    ],
  ] satisfies readonly (readonly Effect[])[];
  const requested = start.reduce(after, emptySession("s" as SessionId));
  return wayTo(status).reduce((session, next) => after(session, to[next]()), requested);
}

function wayTo(status: CallStatus): readonly Exclude<CallStatus, "requested">[] {
  let ways: { readonly at: CallStatus; readonly way: readonly Exclude<CallStatus, "requested">[] }[] = [
    { at: "requested", way: [] },
  ];
  for (;;) {
    const found = ways.find(({ at }) => at === status);
    if (found) return found.way;
    ways = ways.flatMap(({ at, way }) =>
      CALL_TABLE[at].flatMap((next) => (next === "requested" ? [] : [{ at: next, way: [...way, next] }])),
    );
  }
}

test.each(CallStatus.options)("from %s a call moves only along the table", (from) => {
  for (const next of CallStatus.options) {
    if (next === "requested") continue;
    const move = () => after(withCall(from), to[next]());
    if (CALL_TABLE[from].includes(next)) expect(move, `${from} to ${next}`).not.toThrow();
    else expect(move, `${from} to ${next}`).toThrow(/call-table|one-result-per-call|decision-binds-arguments/);
  }
});

test("a call that is requested twice, or not part of its reply, is refused", () => {
  const session = withCall("succeeded");
  const request: Effect = {
    type: "call.request",
    id: call,
    messageId: message(),
    providerId: "p",
    tool: "x",
    requested: {},
    owner: null,
    declaration: null,
  };
  expect(() => after(session, [request])).toThrow("unique-call-id");
  expect(() => after(session, [{ ...request, id: "other" as CallId }])).toThrow("call-in-reply");
});

test("a result without its call's end, or an end without its result, is refused", () => {
  const [result, end] = settled("succeeded");
  if (!result || !end) throw new Error("a settlement has two effects");
  expect(() => after(withCall("dispatched"), [result])).toThrow("result-with-status");
  expect(() => after(withCall("dispatched"), [end])).toThrow("result-with-status");
});

test("an approval for other arguments than the admitted ones is refused", () => {
  const decision = { verdict: "approved" as const, hash: "other", by: "user", reason: "" };
  expect(() => after(withCall("awaiting_approval"), [{ type: "call.decide", id: call, decision }])).toThrow(
    "decision-binds-arguments",
  );
});

test("a turn cannot end while a call is open, nor twice, and two turns are never open", () => {
  const end: Effect = { type: "turn.end", outcome: { status: "completed" } };
  expect(() => after(withCall("approved"), [end])).toThrow("turn-ends-settled");
  const ended = after(withCall("succeeded"), [end]);
  expect(() => after(ended, [end])).toThrow("turn-ends-once");
  expect(() => after(withCall("succeeded"), [{ type: "turn.start", id: "t2" as TurnId }])).toThrow("one-open-turn");
});

test("an entry that leaves a gap in the journal is refused", () => {
  const session = emptySession("s" as SessionId);
  const entry = {
    type: "input" as const,
    seq: 2,
    at: 1,
    input: { id: "i" as never, author: "user", type: "continue" as const },
  };
  expect(() => fold(session, entry)).toThrow("seq-without-gap");
});

test("the table of lives names every stage, and none leads back to new", () => {
  expect(Object.keys(LIFECYCLE_TABLE)).toEqual(Lifecycle.options);
  const others = Lifecycle.options.filter((stage) => stage !== "new");
  expect(others.flatMap((stage) => LIFECYCLE_TABLE[stage])).not.toContain("new");
});
