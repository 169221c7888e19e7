/** A model in the process whose answers follow from the request alone: text, calls of every kind, failures, odd ends. */
import type { FinishReason, Model, ModelMessage, ModelPart, ModelRequest, Models } from "../../src/core/model.ts";

/** What it was asked, and what was wrong with that. */
export interface ModelLog {
  readonly problems: string[];
  asked: number;
}

const PIECES: readonly ((turn: number) => readonly ModelPart[])[] = [
  () => said("Done."),
  (turn) => called(turn, ["look"]),
  (turn) => called(turn, ["change"]),
  () => said("Well."),
  () => said("That is all."),
  (turn) => [...said("Both: ").slice(0, 1), ...called(turn, ["look", "change"])],
  (turn) => called(turn, ["again", "change", "look"]),
  () => [{ type: "failure", failure: { kind: "model_rate_limited", message: "slow down", retryAfterMs: 2_000 } }],
  (turn) => called(turn, ["nonsense"]),
  () => [...said("Half a").slice(0, 1), { type: "failure", failure: { kind: "model_unavailable", message: "gone" } }],
  (turn) => called(turn, ["breaks", "again"]),
  () => [finish("stop")],
  () => [...said("Cut").slice(0, 1), finish("length")],
  () => [...said("No.").slice(0, 1), finish("refusal")],
  () => [{ type: "failure", failure: { kind: "model_auth", message: "who are you" } }],
  (turn) => [{ type: "call", providerId: `c${turn}`, tool: "change", args: "{not json" }, finish("calls")],
];

/** `between` is awaited in the middle of every reply, so that others can act while the model speaks. */
export function scriptedModels(log: ModelLog, between: () => Promise<void>): Models {
  const model: Model = {
    id: "scripted/model",
    async *stream(request, signal) {
      log.asked += 1;
      log.problems.push(...problemsOf(request.messages));
      const parts = PIECES[numberOf(request) % PIECES.length]?.(request.messages.length) ?? [];
      for (const [at, part] of parts.entries()) {
        if (signal.aborted) return;
        yield part;
        if (at === 0) await between();
      }
    },
  };
  return () => Promise.resolve(model);
}

function numberOf({ messages }: ModelRequest): number {
  let number = 7;
  for (const character of JSON.stringify(messages))
    number = (number * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return number;
}

function said(text: string): readonly ModelPart[] {
  return [{ type: "text-delta", id: "text", text }, finish("stop")];
}

function called(turn: number, tools: readonly string[]): readonly ModelPart[] {
  const calls = tools.map((tool, at) => ({
    type: "call" as const,
    providerId: `c${turn}-${at}`,
    tool,
    args: JSON.stringify({ z: turn, a: at }),
  }));
  return [...calls, finish("calls")];
}

function finish(reason: FinishReason): ModelPart {
  const usage = { inputTokens: 10, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, cost: null };
  return { type: "finish", reason, usage };
}

/** Every call is followed at once by its results, in call order, and the last word is not the model's. */
function problemsOf(messages: readonly ModelMessage[]): readonly string[] {
  const problems = messages.flatMap((message, at) => {
    if (message.role !== "assistant") return [];
    const calls = message.content.flatMap((part) => (part.type === "call" ? [part.callId] : [])).join();
    const next = messages[at + 1];
    const results = next?.role === "tool" ? next.content.map(({ callId }) => callId).join() : "";
    return calls === results ? [] : [`after the calls ${calls} come the results ${results}`];
  });
  return messages.at(-1)?.role === "assistant" ? [...problems, "the last word is the model's"] : problems;
}
