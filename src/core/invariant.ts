/** The rules that every change of a session keeps, each with a name. */
import type { Effect } from "./effect.ts";
import { LIFECYCLE_TABLE } from "./lifecycle.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Session } from "./session.ts";

/** A change that a rule forbids: a bug of who made it, or a damaged journal. Nothing of it is kept. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
  readonly rule: string;
  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`);
    this.rule = rule;
  }
}

/** Throws InvariantError. For `fold` and the rules here; a batch that is refused, or the damage that `verify` tells, carries its words. */
export function violated(rule: string, detail: string): never {
  throw new InvariantError(rule, detail);
}

/** A change as a whole: what it does, the session after it, and where in its life the session was and is. */
export interface Batch {
  readonly effects: readonly Effect[];
  readonly after: Session;
  readonly from: Lifecycle;
  readonly to: Lifecycle;
}

type Rule = (batch: Batch) => string | undefined;

const resultWithStatus: Rule = ({ effects }) => {
  const results: string[] = [];
  for (const effect of effects) {
    if (effect.type !== "message.append") continue;
    for (const part of effect.message.parts) {
      if (part.type === "result") results.push(`${part.callId} ${effect.message.id}`);
    }
  }
  let settled = 0;
  for (const effect of effects) {
    if (effect.type !== "call.settle") continue;
    settled += 1;
    if (!results.includes(`${effect.id} ${effect.messageId}`)) {
      return `call ${effect.id} is settled without its result message`;
    }
  }
  return settled === new Set(results).size ? undefined : "a result message whose call is not settled with it";
};

const callInReply: Rule = ({ effects }) => {
  const named: string[] = [];
  for (const effect of effects) {
    if (effect.type !== "message.append") continue;
    for (const part of effect.message.parts) if (part.type === "call") named.push(part.callId);
  }
  let asked = 0;
  for (const effect of effects) {
    if (effect.type !== "call.request") continue;
    asked += 1;
    if (!named.includes(effect.id)) return `call ${effect.id} is not part of a reply in the same commit`;
  }
  return asked === new Set(named).size ? undefined : "a reply names a call that is not requested in the same commit";
};

const turnEndsSettled: Rule = ({ effects, after }) =>
  effects.some((effect) => effect.type === "turn.end") &&
  (after.calls.open.size > 0 || after.questions.length > 0 || after.timers.length > 0)
    ? "the turn ends with an open call, question or timer"
    : undefined;

const lifecycleTable: Rule = ({ from, to }) =>
  LIFECYCLE_TABLE[from].includes(to) ? undefined : `the session may not go from ${from} to ${to}`;

/** The rules about a whole batch; those about one effect are kept by `fold` where the effect is applied. */
const BATCH_RULES: readonly (readonly [rule: string, problem: Rule])[] = [
  ["result-with-status", resultWithStatus],
  ["call-in-reply", callInReply],
  ["turn-ends-settled", turnEndsSettled],
  ["lifecycle-table", lifecycleTable],
];

/** Throws InvariantError if a batch breaks a rule. */
export function checkBatch(batch: Batch): void {
  for (const [rule, problemOf] of BATCH_RULES) {
    const problem = problemOf(batch);
    if (problem) violated(rule, problem);
  }
}
