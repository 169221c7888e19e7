/** Inputs: whatever a client wants to say. Any process may append one at any time; only an operation consumes it. */
import { z } from "zod";
import { CallId, InputId, QuestionId, TurnId } from "./ids.ts";
import { JsonObject, JsonValue } from "./json.ts";
import { FilePart, TextPart } from "./part.ts";

/**
 * Which calls run without asking the person, who sets it; read by the approval operation. Calls that only read always run. `ask`
 * asks before all others, `auto-edit` before those that reach beyond files of the workspace, `auto` never; `plan` denies them.
 */
export const Mode = z.enum(["ask", "auto-edit", "plan", "auto"]);
export type Mode = z.infer<typeof Mode>;

/** Budgets of a turn. `inferences` are answered model calls. */
export const Limits = z.object({ inferences: z.number().int().positive() }).readonly();
export type Limits = z.infer<typeof Limits>;

/** What may be changed about a session by a `configure` input. */
export const Configuration = z
  .strictObject({
    title: z.string().optional(),
    model: z.string().min(1).optional(),
    mode: Mode.optional(),
    limits: z.strictObject({ inferences: z.number().int().positive().optional() }).readonly().optional(),
  })
  .readonly();
export type Configuration = z.infer<typeof Configuration>;

export const PromptPart = z.discriminatedUnion("type", [TextPart, FilePart]);
export type PromptPart = z.infer<typeof PromptPart>;
const promptParts = z.array(PromptPart).min(1).readonly();

/** How far a decision reaches: this call, or every later call of its pattern in this session. */
const GrantScope = z.enum(["once", "session"]);

const common = { id: InputId, author: z.string().min(1) };

export const Input = z.discriminatedUnion("type", [
  z.object({ ...common, type: z.literal("prompt"), parts: promptParts }).readonly(),
  /** Reaches the model at the next boundary of the running turn; never starts one. */
  z.object({ ...common, type: z.literal("steer"), parts: promptParts }).readonly(),
  z
    .object({
      ...common,
      type: z.literal("decision"),
      callId: CallId,
      /** The hash of the arguments that were asked about; filled in when absent. */
      hash: z.string().optional(),
      verdict: z.enum(["approve", "deny"]),
      /** Edited arguments, for `approve`. */
      args: JsonObject.optional(),
      scope: GrantScope.optional(),
      reason: z.string().optional(),
    })
    .readonly(),
  z.object({ ...common, type: z.literal("answer"), questionId: QuestionId, value: JsonValue }).readonly(),
  /** Of the turn it names, or of the one that is open. */
  z.object({ ...common, type: z.literal("cancel"), turnId: TurnId.optional() }).readonly(),
  z.object({ ...common, type: z.literal("continue") }).readonly(),
  z.object({ ...common, type: z.literal("configure"), set: Configuration }).readonly(),
  z.object({ ...common, type: z.literal("withdraw"), inputId: InputId }).readonly(),
]);
export type Input = z.infer<typeof Input>;
export type InputKind = Input["type"];
export type InputOf<K extends InputKind> = Extract<Input, { type: K }>;

/** An input that no operation has consumed yet. A held one waits for the next prompt or `continue`. */
export type PendingInput<K extends InputKind = InputKind> = {
  readonly seq: number;
  readonly at: number;
  readonly held: boolean;
  readonly input: InputOf<K>;
};

/** What at most one input may settle: one decision per arguments asked about, one answer per question. */
export function targetOf(input: Input): string | undefined {
  switch (input.type) {
    case "decision":
      return `call:${input.callId}:${input.hash ?? ""}`;
    case "answer":
      return `question:${input.questionId}`;
    case "prompt":
    case "steer":
    case "cancel":
    case "continue":
    case "configure":
    case "withdraw":
      return undefined;
    default:
      return input satisfies never;
  }
}
