/** What a person's decision about a call writes: approval bound to the arguments, or a denial that the model is told. */
import type { Call, Decision } from "../core/call.ts";
import type { EffectOf } from "../core/effect.ts";
import type { InputOf } from "../core/input.ts";
import type { StepContext } from "../core/operation.ts";
import { settleCall } from "../core/settle-open.ts";
import { grantFor } from "./grant.ts";
import { sentence } from "./notice.ts";

export type DecisionEffect = EffectOf<"call.decide" | "call.settle" | "message.append" | "grant.add">;

/** The effects of a decision about a call that awaits it; `hash` is of the arguments as they will run. */
export function decide(
  call: Call,
  input: InputOf<"decision">,
  ctx: Pick<StepContext, "newId" | "clean">,
): readonly DecisionEffect[] {
  if (input.verdict === "deny") return deny(call, madeBy(call, input), ctx);
  return [
    { type: "call.decide", id: call.id, decision: madeBy(call, input) },
    ...(input.scope === "session" ? [{ type: "grant.add" as const, grant: grantFor(call) }] : []),
  ];
}

/** Denies a call: a result that carries the words of whoever denied it and tells the model not to try the same again. */
export function deny(
  call: Call,
  decision: Decision,
  ctx: Pick<StepContext, "newId" | "clean">,
): readonly EffectOf<"call.settle" | "message.append">[] {
  const policy = decision.by === "policy";
  const who = policy ? "This call was not permitted" : "The user denied this call";
  const text = ctx.clean(
    `${who}: ${sentence(decision.reason)} Do not try the same again; find another way or ask the user.`,
  );
  const errorKind = policy ? "permission_denied" : "human_rejected";
  return settleCall(call, { status: "denied", errorKind, text }, ctx.newId).map((effect) =>
    effect.type === "call.settle" ? { ...effect, decision } : effect,
  );
}

function madeBy(call: Call, input: InputOf<"decision">): Decision {
  const approved = input.verdict === "approve";
  const scope = input.scope === "session" ? " for the session" : "";
  return {
    verdict: approved ? "approved" : "denied",
    hash: call.hash ?? "",
    by: input.author,
    reason: input.reason?.trim() || (approved ? `approved by ${input.author}${scope}` : "no reason was given"),
    inputId: input.id,
  };
}
