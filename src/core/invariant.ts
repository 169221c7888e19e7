/** The rules that every change of a session keeps, each with a name. */
import { isFinal } from "./call.ts";
import type { Effect } from "./effect.ts";
import { LIFECYCLE_TABLE, lifecycleOf } from "./lifecycle.ts";
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

export function violated(rule: string, detail: string): never {
  throw new InvariantError(rule, detail);
}

/** The rules about a whole batch; those about one effect are kept by `fold` where the effect is applied. */
const BATCH_RULES: Readonly<
  Record<string, (before: Session, effects: readonly Effect[], after: Session) => string | undefined>
> = {
  "result-with-status": (_before, effects) => {
    const results = new Set<string>();
    for (const effect of effects) {
      if (effect.type !== "message.append") continue;
      for (const part of effect.message.parts) {
        if (part.type === "result") results.add(`${part.callId} ${effect.message.id}`);
      }
    }
    let settled = 0;
    for (const effect of effects) {
      if (effect.type !== "call.settle") continue;
      settled += 1;
      if (!results.has(`${effect.id} ${effect.messageId}`))
        return `call ${effect.id} is settled without its result message`;
    }
    return settled === results.size ? undefined : "a result message whose call is not settled with it";
  },
  "call-in-reply": (_before, effects) => {
    const named = new Set(
      effects.flatMap((effect) =>
        effect.type === "message.append"
          ? effect.message.parts.flatMap((part) => (part.type === "call" ? [part.callId as string] : []))
          : [],
      ),
    );
    const asked = effects.filter((effect) => effect.type === "call.request");
    const stray = asked.find((effect) => !named.has(effect.id));
    if (stray) return `call ${stray.id} is not part of a reply in the same commit`;
    return asked.length === named.size ? undefined : "a reply names a call that is not requested in the same commit";
  },
  "turn-ends-settled": (_before, effects, after) =>
    effects.some((effect) => effect.type === "turn.end") &&
    (after.calls.open.size > 0 || after.questions.length > 0 || after.timers.length > 0)
      ? "the turn ends with an open call, question or timer"
      : undefined,
  "lifecycle-table": (before, _effects, after) => {
    const [from, to] = [lifecycleOf(before), lifecycleOf(after)];
    return LIFECYCLE_TABLE[from].includes(to) ? undefined : `the session may not go from ${from} to ${to}`;
  },
};

/** Throws InvariantError if a batch that took `before` to `after` breaks a rule. */
export function checkBatch(before: Session, effects: readonly Effect[], after: Session): void {
  for (const [rule, check] of Object.entries(BATCH_RULES)) {
    const problem = check(before, effects, after);
    if (problem) violated(rule, problem);
  }
}

/** Standing rules of a session at any point; the store checks them when it verifies. */
export function checkSession(session: Session): void {
  for (const call of session.calls.open.values()) {
    if (isFinal(call.status)) violated("open-call-is-open", `call ${call.id} is ${call.status}`);
  }
}
