/** The built-in model: offline, free of charge, and honest about knowing one task only. */
import type { Model, ModelPart, ModelRequest, ModelUsage } from "../../core/model.ts";
import { nextTurn, OFFLINE_ANSWER, type Turn } from "./script.ts";
import { storyOf } from "./story.ts";

/** Waits, or less long if the signal is aborted; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const PAUSE_MS = 15;

/** It keeps nothing between requests: what it does follows from the messages alone. */
export function createDemoModel({ id, sleep }: { readonly id: string; readonly sleep: Sleep }): Model {
  return {
    id,
    async *stream(request, signal) {
      const story = storyOf(request.messages);
      const turn =
        story === undefined
          ? { text: OFFLINE_ANSWER, calls: [] }
          : nextTurn(
              story,
              request.tools.map(({ name }) => name),
            );
      for (const part of partsOf(turn, request)) {
        if (signal.aborted) return;
        yield part;
        if (part.type.endsWith("-delta")) await sleep(PAUSE_MS, signal);
      }
    },
  };
}

function* partsOf(turn: Turn, request: ModelRequest): Generator<ModelPart, void, void> {
  for (const text of wordsOf(turn.reasoning ?? "")) yield { type: "reasoning-delta", id: "reasoning", text };
  for (const text of wordsOf(turn.text)) yield { type: "text-delta", id: "text", text };
  const before = request.messages.filter((message) => message.role === "assistant").length;
  for (const [at, { tool, args }] of turn.calls.entries()) {
    const providerId = `demo-${before + 1}-${at + 1}`;
    const text = JSON.stringify(args);
    yield { type: "call-delta", id: providerId, tool, text };
    yield { type: "call", providerId, tool, args: text };
  }
  yield { type: "finish", reason: turn.calls.length === 0 ? "stop" : "calls", usage: usageOf(turn, request) };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}

/** Roughly: four characters a token. */
function usageOf(turn: Turn, { system, messages }: ModelRequest): ModelUsage {
  return {
    inputTokens: Math.ceil((system.length + JSON.stringify(messages).length) / 4),
    outputTokens: Math.ceil(((turn.reasoning ?? "") + turn.text + JSON.stringify(turn.calls)).length / 4),
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    cost: 0,
  };
}
