/** Asks the model: gathers what operations contribute, streams the reply, and stores it as one message. */
import type { EffectOf } from "../core/effect.ts";
import { UsageError } from "../core/error.ts";
import type { MessageId } from "../core/ids.ts";
import type { Model, ModelFailure, ModelRequest, Models, ModelUsage } from "../core/model.ts";
import { modelView } from "../core/model-view.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext } from "../core/operation.ts";
import type { Part } from "../core/part.ts";
import { DraftReply } from "./draft-reply.ts";
import { untilAborted } from "./until-aborted.ts";

type Inferred = EffectOf<"message.append" | "call.request" | "usage.add">;

/** The last to be asked while the model owes a reply: whoever stands above it in the pipeline has had its say. */
export const inference = (models: Models, instructions: string) =>
  defineOperation({
    name: "inference",
    reads: ["session", "turn", "messages", "calls"],
    writes: ["message.append", "call.request", "usage.add"],
    durability: "on-barrier",
    claim: ({ session, turn }) =>
      turn?.phase === "reply" ? claim(null, `${session.model} owes a reply`) : pass("no reply is owed"),
    async *run(_data, ctx, view) {
      const model = await askable(models, view.session.model);
      if ("problem" in model) {
        yield [failed([], { kind: "model_invalid_request", message: model.problem }, ctx)];
        return;
      }
      const contributions = await ctx.contributions();
      const request: ModelRequest = {
        system: contributions.system,
        tools: contributions.specs,
        messages: modelView(view),
        attention: contributions.attention,
      };
      const messageId: MessageId = ctx.newId();
      const draft = new DraftReply(messageId, contributions.tools, ctx);
      await ctx.barrier();
      for await (const part of untilAborted(model.stream(request, ctx.signal), ctx.signal)) {
        draft.add(part);
        if (part.type === "finish" || part.type === "failure") break;
      }
      yield settled(draft, { model: model.id, request }, ctx);
    },
    contribute: () => ({ prompt: instructions }),
  });

/** A model that cannot be asked at all, for want of a key or of its provider, fails like one that refuses the request. */
async function askable(models: Models, id: string): Promise<Model | { readonly problem: string }> {
  try {
    return await models(id);
  } catch (error) {
    if (error instanceof UsageError) return { problem: error.message };
    throw error;
  }
}

/** A reply, whole or not, whose provider told no count: what it cost is unknown, and not zero. */
const UNCOUNTED: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cost: null,
};

interface Asked {
  readonly model: string;
  readonly request: ModelRequest;
}

/** The reply, or the failure of the attempt, or what a cancel left of it. */
function settled(draft: DraftReply, asked: Asked, ctx: StepContext): readonly Inferred[] {
  const { ended } = draft;
  const counted = ended.usage ?? (draft.hasBegun ? UNCOUNTED : undefined);
  const usage = counted ? [usageEffect(asked.model, counted)] : [];
  if (ended.type === "failure") {
    return [failed(draft.shown(), ended.failure, ctx), ...usage];
  }
  const { system, tools, attention } = asked.request;
  const reply = {
    model: asked.model,
    finish: ended.finish,
    request: { system, tools, ...(attention.length > 0 && { attention }) },
  };
  if (ended.finish === "aborted") {
    return draft.parts().length === 0 ? usage : [replied(draft, reply), ...usage];
  }
  return [replied(draft, reply), ...draft.calls(), ...usage];
}

function replied(
  draft: DraftReply,
  reply: NonNullable<EffectOf<"message.append">["reply"]>,
): EffectOf<"message.append"> {
  return { type: "message.append", message: { id: draft.messageId, kind: "reply", parts: draft.parts() }, reply };
}

/** Text that was shown stays for the person, as part of the error; nothing of the attempt's calls is kept. */
function failed(shown: readonly Part[], failure: ModelFailure, ctx: StepContext): EffectOf<"message.append"> {
  const id: MessageId = ctx.newId();
  const { kind, message, retryAfterMs, status } = failure;
  const error = {
    type: "error" as const,
    kind,
    message: ctx.clean(message),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status !== undefined && { status }),
  };
  return { type: "message.append", message: { id, kind: "error", parts: [...shown, error] } };
}

function usageEffect(model: string, usage: ModelUsage): EffectOf<"usage.add"> {
  return { type: "usage.add", model, ...usage };
}
