/** Takes in what clients said: consumes every input that passes its gate, and starts turns. */
import type { Call } from "../core/call.ts";
import type { EffectOf } from "../core/effect.ts";
import type { MessageId, TurnId } from "../core/ids.ts";
import type { InputKind, InputOf, PendingInput } from "../core/input.ts";
import { textOf } from "../core/message.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext, View } from "../core/operation.ts";
import { settleCall } from "../core/settle-open.ts";
import { isEdit } from "./admit.ts";
import { decide } from "./decision.ts";
import type { DecisionEffect } from "./decision.ts";
import { heldBack } from "./interrupt.ts";

type Intake = View<"session" | "turn" | "messages" | "calls" | "inputs" | "questions">;
type Taken =
  | DecisionEffect
  | EffectOf<"input.consume" | "input.hold" | "session.set" | "question.close" | "turn.start">;

const TITLE_CHARACTERS = 60;

/** All that is ready goes into one commit; at most one prompt or `continue` starts a turn. */
export const intake = () =>
  defineOperation({
    name: "intake",
    reads: ["session", "turn", "messages", "calls", "inputs", "questions"],
    writes: [
      "input.consume",
      "input.hold",
      "session.set",
      "call.decide",
      "call.settle",
      "grant.add",
      "question.close",
      "message.append",
      "turn.start",
    ],
    durability: "on-barrier",
    claim: (view) => {
      const ready = readyInputs(view);
      return ready.length > 0
        ? claim(ready, `takes in ${ready.map(({ input }) => input.type).join(", ")}`)
        : pass(view.inputs.length > 0 ? "the pending inputs wait for their turn" : "no input is pending");
    },
    async *run(ready, ctx, view) {
      yield consumedOnce(ready.flatMap((item) => take(item, ctx, view)));
    },
  });

/** In the order in which they take effect: what is withdrawn goes first, what starts a turn goes last. */
function readyInputs(view: Intake): readonly PendingInput[] {
  if (view.inputs.length === 0) return [];
  const withdrawn = new Set(view.inputs.flatMap(({ input }) => (input.type === "withdraw" ? [input.inputId] : [])));
  const standing = view.inputs.filter(({ input }) => !withdrawn.has(input.id));
  const of = (...kinds: readonly InputKind[]) => standing.filter(({ input }) => kinds.includes(input.type));
  const open = view.turn !== undefined && view.turn.outcome === undefined;
  const always = [
    ...of("withdraw", "configure", "answer"),
    ...of("decision").filter(
      ({ input }) => !(isEdit(input) && view.calls.open.get(input.callId)?.status === "awaiting_approval"),
    ),
    ...(open ? of("cancel").filter(({ input }) => "turnId" in input && input.turnId !== view.turn?.id) : of("cancel")),
  ];
  if (open) return view.calls.open.size > 0 ? always : [...always, ...of("steer").filter(({ held }) => !held)];
  // What a cancel holds back must be known before anything starts, whether both came together or not.
  if (of("cancel").length > 0) return always;
  const starter = firstStarter(of("prompt", "continue"));
  if (!starter) return always;
  return [...always, ...(starter.input.type === "prompt" ? of("steer") : []), starter];
}

/**
 * What starts the next turn. A `continue` goes on at once; a new prompt first releases those that were held, in the order
 * they were sent.
 */
function firstStarter(starters: readonly PendingInput[]): PendingInput | undefined {
  const fresh = starters.find(({ held }) => !held);
  return fresh?.input.type === "prompt" ? starters.find(({ input }) => input.type === "prompt") : fresh;
}

function take(item: PendingInput, ctx: StepContext, view: Intake): readonly Taken[] {
  const { input } = item;
  const consumed = { type: "input.consume", id: input.id } as const;
  switch (input.type) {
    case "withdraw":
      return [
        consumed,
        ...(view.inputs.some((other) => other.input.id === input.inputId)
          ? [{ type: "input.consume" as const, id: input.inputId }]
          : []),
      ];
    case "configure":
      return [consumed, { type: "session.set", set: input.set }];
    case "decision": {
      const call = view.calls.open.get(input.callId);
      return call?.status === "awaiting_approval" && call.hash === input.hash
        ? [consumed, ...decide(call, input, ctx)]
        : [consumed];
    }
    case "answer":
      return [consumed, ...answer(item as PendingInput<"answer">, ctx, view)];
    case "cancel":
      return [consumed, ...(input.turnId === undefined ? heldBack(item.seq, view.inputs) : [])];
    case "steer":
      return [consumed, said({ input }, ctx)];
    case "prompt":
      return [consumed, ...release(item, view), ...startTurn(item as PendingInput<"prompt">, ctx, view)];
    case "continue":
      return [consumed, ...release(item, view), ...continueTurn(item, ctx, view)];
    default:
      return input satisfies never;
  }
}

/** Several may withdraw one input. */
function consumedOnce(effects: readonly Taken[]): readonly Taken[] {
  const consumed = new Set<string>();
  return effects.filter((effect) => {
    if (effect.type !== "input.consume") return true;
    const first = !consumed.has(effect.id);
    consumed.add(effect.id);
    return first;
  });
}

function said(
  { input }: { readonly input: InputOf<"steer" | "prompt"> },
  ctx: StepContext,
): EffectOf<"message.append"> {
  const id: MessageId = ctx.newId();
  return { type: "message.append", message: { id, kind: input.type, parts: input.parts }, by: input.author };
}

/** A new word from the person lets the held ones go on, in the order they were sent; steers have just gone in with a prompt. */
function release(starter: PendingInput, { inputs }: Intake): readonly Taken[] {
  const steers = starter.input.type === "continue";
  return inputs
    .filter(({ held, input }) => held && input.id !== starter.input.id && (steers || input.type !== "steer"))
    .map(({ input }) => ({ type: "input.hold", id: input.id, held: false }));
}

function startTurn(item: PendingInput<"prompt">, ctx: StepContext, { session }: Intake): readonly Taken[] {
  const id: TurnId = ctx.newId();
  const title = Array.from(textOf(item.input.parts).trim().replace(/\s+/g, " ")).slice(0, TITLE_CHARACTERS).join("");
  return [
    ...(session.title === undefined && title !== "" ? [{ type: "session.set" as const, set: { title } }] : []),
    { type: "turn.start", id, inputId: item.input.id },
    said(item, ctx),
  ];
}

/** Goes on where the last turn stopped; a turn that completed, or was refused, has nothing to continue. */
function continueTurn({ input }: PendingInput, ctx: StepContext, { turn, messages }: Intake): readonly Taken[] {
  const status = turn?.outcome?.status;
  if (!turn || status === "completed" || status === "refused") return [];
  const id: TurnId = ctx.newId();
  const start: Taken = { type: "turn.start", id, inputId: input.id, continues: turn.id };
  return endsWithReply(messages) ? [start, goOn(ctx)] : [start];
}

/** Providers want the last word to be the user's. */
function goOn(ctx: StepContext): EffectOf<"message.append"> {
  const id: MessageId = ctx.newId();
  const parts = [{ type: "text" as const, text: "Go on where you stopped." }];
  return { type: "message.append", message: { id, kind: "context", parts } };
}

function endsWithReply(messages: Intake["messages"]): boolean {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages.at(at);
    if (message?.audience.model) return message.role === "assistant";
  }
  return false;
}

function answer({ input }: PendingInput<"answer">, ctx: StepContext, view: Intake): readonly Taken[] {
  const question = view.questions.find(({ id }) => id === input.questionId);
  if (!question) return [];
  const closed: Taken = { type: "question.close", id: question.id };
  const text = ctx.clean(typeof input.value === "string" ? input.value : JSON.stringify(input.value));
  const call: Call | undefined = question.callId && view.calls.open.get(question.callId);
  if (call) return [closed, ...settleCall(call, { status: "succeeded", text }, ctx.newId)];
  const id: MessageId = ctx.newId();
  return [
    closed,
    { type: "message.append", message: { id, kind: "answer", parts: [{ type: "text", text }] }, by: input.author },
  ];
}
