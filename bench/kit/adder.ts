/** The work, without any latency of its own: a model that counts by asking for `add`, and the tool that adds. */
import type { Model, ModelPart, ModelRequest } from "../../src/core/model.ts";
import type { HostedTool, ToolHost } from "../../src/core/tool.ts";

/** Rounds of each turn, and who wants to know when the model is asked. */
export interface Adding {
  readonly rounds: number;
  readonly asked?: () => void;
}

const USAGE = { inputTokens: 400, outputTokens: 30, cachedInputTokens: 0, cacheWriteTokens: 0, cost: 0 };

/**
 * Keeps nothing: how far it has come is the last result it sees, so a result that were lost or doubled would show in the
 * number of rounds.
 */
export function addingModel({ rounds, asked }: Adding): Model {
  return {
    id: "bench/adder",
    async *stream(request): AsyncGenerator<ModelPart, void, void> {
      asked?.();
      const done = lastSum(request);
      if (done === rounds) {
        yield { type: "text-delta", id: "answer", text: `It is ${done}.` };
        yield { type: "finish", reason: "stop", usage: USAGE };
        return;
      }
      yield { type: "call", providerId: `toolu_${done}`, tool: "add", args: `{"a":${done},"b":1}` };
      yield { type: "finish", reason: "calls", usage: USAGE };
    },
  };
}

function lastSum({ messages }: ModelRequest): number {
  const last = messages.at(-1);
  if (last?.role !== "tool") return 0;
  const piece = last.content[0]?.content[0];
  return piece?.type === "text" ? Number(piece.text) : Number.NaN;
}

/** Says of itself that it may do anything, so that every call goes the whole way: admitted, approved, dispatched. */
export const add: HostedTool = {
  spec: {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
  },
  declaration: { readOnly: false, idempotent: false, touches: ["*"] },
  check({ a, b }) {
    return typeof a === "number" && typeof b === "number"
      ? { ok: true, args: { a, b } }
      : { ok: false, problem: "a and b must be numbers" };
  },
  async execute({ a, b }) {
    return { content: [{ type: "text", text: String(Number(a) + Number(b)) }] };
  },
};

const tools: readonly HostedTool[] = [add];

export const addingTools: ToolHost = { tools: async () => tools };
