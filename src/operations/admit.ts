/** Lets a requested call in: the tool is advertised, the arguments are what its schema says; or tells the model what is wrong. */
import type { Call } from "../core/call.ts";
import type { Contributions, OwnedTool } from "../core/contribution.ts";
import type { EffectOf } from "../core/effect.ts";
import type { CallId } from "../core/ids.ts";
import type { InputOf } from "../core/input.ts";
import type { JsonObject } from "../core/json.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext, View } from "../core/operation.ts";
import { settleCall } from "../core/settle-open.ts";
import { decide } from "./decision.ts";
import { endTurn } from "./notice.ts";
import { repairName } from "./repair-name.ts";
import { notAvailable } from "./unknown-tool.ts";

type Admitted = EffectOf<"call.admit" | "call.settle" | "message.append" | "call.decide" | "grant.add">;

/** Replies in a row without one admissible call, after which the turn ends. */
const MAX_REJECTED_BATCHES = 5;
/** How much of unreadable arguments is quoted back. */
const QUOTED_CHARACTERS = 500;

/** Also admits arguments that a person edited while approving: they are validated again, and the approval binds to them. */
export const admit = () =>
  defineOperation({
    name: "admit",
    reads: ["turn", "calls", "inputs", "notes"],
    writes: [
      "call.admit",
      "call.settle",
      "call.decide",
      "message.append",
      "input.consume",
      "grant.add",
      "note.set",
      "turn.end",
    ],
    durability: "on-barrier",
    claim: (view) => {
      const requested = [...view.calls.open.values()].filter((call) => call.status === "requested");
      const edits = editsOf(view);
      if (requested.length === 0 && edits.length === 0) return pass("no call is requested or edited");
      const names = [...requested, ...edits.map(({ call }) => call)].map((call) => call.tool);
      return claim({ requested, edits }, `${names.join(", ")} may be called or not`);
    },
    async *run({ requested, edits }, ctx, view) {
      const contributions = await ctx.contributions();
      const batch = requested.map((call) => admission(call, contributions, ctx));
      yield [
        ...edits.flatMap(({ call, input }) => [
          { type: "input.consume" as const, id: input.id },
          ...admitEdited({ call, input }, contributions, ctx),
        ]),
        ...batch.flat(),
        ...boundRejections(view, batch),
      ];
    },
  });

function editsOf({
  calls,
  inputs,
}: View<"calls" | "inputs">): readonly { readonly call: Call; readonly input: InputOf<"decision"> }[] {
  return inputs.flatMap(({ input }) => {
    if (!isEdit(input)) return [];
    const call = calls.open.get(input.callId);
    return call?.status === "awaiting_approval" ? [{ call, input }] : [];
  });
}

/** An approval that changes the arguments is admitted here; every other decision is taken in as it is. */
export function isEdit(input: { readonly type: string }): input is InputOf<"decision"> & { args: JsonObject } {
  return (
    input.type === "decision" &&
    "args" in input &&
    input.args !== undefined &&
    (input as InputOf<"decision">).verdict === "approve"
  );
}

function admission(call: Call, { tools }: Contributions, ctx: StepContext): readonly Admitted[] {
  const reject = (text: string, errorKind: "tool_schema" | "tool_unavailable") =>
    settleCall(call, { status: "failed", errorKind, text: ctx.clean(text) }, ctx.newId);
  if (call.owner === null && tools.has(call.tool)) {
    return reject(`The tool "${call.tool}" was not available when you called it; it is now.`, "tool_unavailable");
  }
  const found = call.owner === null ? repairName(call.tool, tools) : tools.get(call.tool);
  if (!found) return reject(notAvailable(call.tool, [...tools.keys()]), "tool_unavailable");
  if (typeof call.requested === "string") {
    return reject(
      `The arguments are not a JSON object: ${call.requested.slice(0, QUOTED_CHARACTERS) || "(empty)"}`,
      "tool_schema",
    );
  }
  const checked = found.tool.check(call.requested);
  if (!checked.ok)
    return reject(`The arguments do not fit the tool ${found.tool.spec.name}: ${checked.problem}`, "tool_schema");
  return [admitEffect({ id: call.id, ...(call.owner === null && { repaired: repairOf(found) }) }, checked, ctx)];
}

function repairOf({ owner, tool }: OwnedTool) {
  const { spec, declaration, server } = tool;
  return { tool: spec.name, owner, declaration, ...(server !== undefined && { server }) };
}

function admitEffect(
  about: { readonly id: CallId; readonly repaired?: ReturnType<typeof repairOf>; readonly edited?: boolean },
  { args, subject }: { readonly args: JsonObject; readonly subject?: string },
  ctx: StepContext,
): EffectOf<"call.admit"> {
  return { type: "call.admit", ...about, args, hash: ctx.hash(args), ...(subject !== undefined && { subject }) };
}

function admitEdited(
  { call, input }: { readonly call: Call; readonly input: InputOf<"decision"> },
  { tools }: Contributions,
  ctx: StepContext,
): readonly Admitted[] {
  const checked = tools.get(call.tool)?.tool.check(input.args ?? {});
  if (!checked?.ok) {
    const problem = checked ? checked.problem : notAvailable(call.tool, [...tools.keys()]);
    const text = ctx.clean(`The user edited the arguments, and the edited ones cannot run: ${problem}`);
    return settleCall(call, { status: "failed", errorKind: "tool_schema", text }, ctx.newId);
  }
  const admitted = admitEffect({ id: call.id, edited: true }, checked, ctx);
  // Sent back as they were asked about, they are not edited.
  if (admitted.hash === call.hash) return decide(call, input, ctx);
  const edited: Call = {
    ...call,
    args: admitted.args,
    hash: admitted.hash,
    ...(admitted.subject !== undefined && { subject: admitted.subject }),
  };
  return [admitted, ...decide(edited, input, ctx)];
}

/** Counts replies in a row whose calls were all rejected; the note is of this turn. */
function boundRejections(
  { turn, notes }: View<"turn" | "notes">,
  batch: readonly (readonly Admitted[])[],
): readonly EffectOf<"note.set" | "turn.end">[] {
  if (batch.length === 0 || !turn) return [];
  const note = notes["admit"]?.data as { readonly turnId: string; readonly rejected: number } | undefined;
  const before = note?.turnId === turn.id ? note.rejected : 0;
  const rejected = batch.every((effects) => effects.some((effect) => effect.type === "call.settle")) ? before + 1 : 0;
  if (rejected === before) return [];
  const data = rejected === 0 ? null : { turnId: turn.id, rejected };
  const count: EffectOf<"note.set"> = { type: "note.set", operation: "admit", version: 1, data };
  if (rejected < MAX_REJECTED_BATCHES) return [count];
  const message = `The model called tools wrongly in ${rejected} replies in a row; the last errors are in the conversation.`;
  return [{ ...count, data: null }, endTurn({ status: "failed", error: { kind: "model_invalid_output", message } })];
}
