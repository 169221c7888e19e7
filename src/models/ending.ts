/** Tells a reply that is complete from one that only stopped. */
import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { isPlainObject } from "../core/json.ts";
import type { FinishReason, ModelPart, ModelUsage } from "../core/model.ts";
import type { Failures } from "./failure.ts";

export type PartOf<Type extends LanguageModelV3StreamPart["type"]> = Extract<LanguageModelV3StreamPart, { type: Type }>;

export interface EndContext {
  readonly failures: Failures;
  costOf(usage: Omit<ModelUsage, "cost">): number | null;
}

const REASONS: Readonly<Record<PartOf<"finish">["finishReason"]["unified"], FinishReason | undefined>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "calls",
  "content-filter": "refusal",
  other: "other",
  error: undefined,
};

/** The provider's own end; `answered` says whether any content came before. */
export function finishOf({ finishReason, usage }: PartOf<"finish">, context: EndContext, answered: boolean): ModelPart {
  const counted = usageOf(usage, context);
  const withUsage = counted === undefined ? {} : { usage: counted };
  const { unified, raw } = finishReason;
  // The packages say "other" without a reason of the provider's own where they saw no end.
  if (unified === "other" && raw === undefined) return { ...cutOff(context, answered), ...withUsage };
  const reason = raw === "pause_turn" ? "paused" : REASONS[unified];
  const needsContent = reason === "other" || reason === "paused";
  if (reason !== undefined && (answered || !needsContent)) return { type: "finish", reason, ...withUsage };
  const words = `ended the reply with ${raw ?? "an error"}${answered ? "" : " and without content"}`;
  return { type: "failure", failure: context.failures.because("model_invalid_output", words), ...withUsage };
}

/** An error that was reported inside the stream. */
export function failureOf({ error }: PartOf<"error">, context: EndContext, answered: boolean): ModelPart {
  return endedWithoutFinish(error)
    ? cutOff(context, answered)
    : { type: "failure", failure: context.failures.of(error) };
}

/** A stream that closed without an end: an outage if it had begun to answer, else no answer of a model at all. */
export function cutOff({ failures }: EndContext, answered: boolean): ModelPart {
  return {
    type: "failure",
    failure: answered
      ? failures.because("model_unavailable", "closed the stream before the reply was complete")
      : failures.because("model_invalid_output", "answered without any content or end; is the base URL right?"),
  };
}

/** The chat-completions package reports a missing end as an error of its own, the only one of its class that holds no data. */
function endedWithoutFinish(error: unknown): boolean {
  return isPlainObject(error) && error["name"] === "AI_InvalidResponseDataError" && error["data"] === undefined;
}

/** Undefined where the provider counted nothing: no reply has neither input nor output. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage, context: EndContext): ModelUsage | undefined {
  const usage = {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
  };
  return usage.inputTokens + usage.outputTokens === 0 ? undefined : { ...usage, cost: context.costOf(usage) };
}
