/** Asks the model: gathers what operations contribute, streams the reply, and stores it as one message. */
import type { EffectOf } from "../core/effect.ts";
import type { MessageId } from "../core/ids.ts";
import type { ModelFailure, ModelRequest, Models, ModelUsage } from "../core/model.ts";
import { modelView } from "../core/model-view.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext } from "../core/operation.ts";
import { DraftReply } from "./draft-reply.ts";

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
      const model = await models(view.session.model);
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
      for await (const part of model.stream(request, ctx.signal)) {
        draft.add(part);
        if (part.type === "finish" || part.type === "failure" || ctx.signal.aborted) break;
      }
      yield settled(draft, { model: model.id, request }, ctx);
    },
    contribute: () => ({ prompt: instructions }),
  });

interface Asked {
  readonly model: string;
  readonly request: ModelRequest;
}

/** The reply, or the failure of the attempt, or what a cancel left of it. */
function settled(draft: DraftReply, asked: Asked, ctx: StepContext): readonly Inferred[] {
  const { ended } = draft;
  const usage = ended.usage ? [usageEffect(asked.model, ended.usage)] : [];
  if (ended.type === "failure") {
    return [failed(draft, ended.failure, ctx), ...usage];
  }
  const { system, tools, attention } = asked.request;
  const reply = {
    model: asked.model,
    finish: ended.finish,
    request: { system, tools, ...(attention.length > 0 && { attention }) },
  };
  if (ended.finish === "aborted" && draft.parts().length === 0) return usage;
  return [
    { type: "message.append", message: { id: draft.messageId, kind: "reply", parts: draft.parts() }, reply },
    ...(ended.finish === "aborted" ? [] : draft.calls()),
    ...usage,
  ];
}

/** Text that was shown stays for the person, as part of the error; nothing of the attempt's calls is kept. */
function failed(draft: DraftReply, failure: ModelFailure, ctx: StepContext): EffectOf<"message.append"> {
  const id: MessageId = ctx.newId();
  const { kind, message, retryAfterMs, status } = failure;
  const error = {
    type: "error" as const,
    kind,
    message: ctx.clean(message),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status !== undefined && { status }),
  };
  return { type: "message.append", message: { id, kind: "error", parts: [...draft.shown(), error] } };
}

function usageEffect(model: string, usage: ModelUsage): EffectOf<"usage.add"> {
  return { type: "usage.add", model, ...usage };
}
