/** What the stories about models share: a request, its whole answer, and the answer as the next request has it. */
import type { JsonObject } from "../../src/core/json.ts";
import type { CallId } from "../../src/core/ids.ts";
import type { AssistantContent, Model, ModelMessage, ModelPart, ModelRequest } from "../../src/core/model.ts";
import type { ProviderMetadata, ResultContent } from "../../src/core/part.ts";
import { createModels, type ModelsOptions } from "../../src/models/models.ts";

export const KEYS = {
  ANTHROPIC_API_KEY: "key-of-anthropic",
  OPENAI_API_KEY: "key-of-openai",
  GOOGLE_GENERATIVE_AI_API_KEY: "key-of-google",
};

export const NOW = Date.parse("2026-11-30T12:00:00Z");

export async function model(id: string, options: Partial<ModelsOptions> = {}): Promise<Model> {
  return createModels({ environment: KEYS, now: () => NOW, sleep: async () => {}, ...options })(id);
}

export function user(text: string): ModelMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function results(...content: readonly [callId: string, tool: string, ...ResultContent[]][]): ModelMessage {
  return {
    role: "tool",
    content: content.map(([callId, tool, ...pieces]) => ({
      callId: callId as CallId,
      tool,
      isError: false,
      content: pieces,
    })),
  };
}

export function assistant(...content: readonly AssistantContent[]): ModelMessage {
  return { role: "assistant", content };
}

export function call(callId: string, tool: string, args: JsonObject) {
  return { type: "call" as const, callId: callId as CallId, tool, args };
}

/** The body of a request; the caller knows its shape. */
export function bodyOf<Body>(seen: { readonly body: unknown } | undefined): Body {
  if (seen === undefined) throw new Error("there was no such request");
  return seen.body as Body;
}

export function request(
  messages: readonly ModelMessage[] = [user("hello")],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return { system: "You are terse.", tools: [], attention: [], messages, ...more };
}

export const READ = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export async function ask(
  asked: Model,
  asking: ModelRequest = request(),
  signal = new AbortController().signal,
): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of asked.stream(asking, signal)) parts.push(part);
  return parts;
}

/** The reply as one assistant message; calls get the ids `call-1`, `call-2`, … */
export function asMessage(parts: readonly ModelPart[]): Extract<ModelMessage, { role: "assistant" }> {
  const blocks = new Map<string, { type: "text" | "reasoning"; text: string; metadata?: ProviderMetadata }>();
  const content: AssistantContent[] = [];
  let calls = 0;
  for (const part of parts) {
    if (part.type === "text-delta" || part.type === "reasoning-delta") {
      const block = blocks.get(part.id) ?? { type: part.type === "text-delta" ? "text" : "reasoning", text: "" };
      if (!blocks.has(part.id)) content.push(block);
      blocks.set(part.id, block);
      block.text += part.text;
      if (part.metadata) {
        block.metadata = { ...part.metadata, data: { ...block.metadata?.data, ...part.metadata.data } };
      }
    } else if (part.type === "call") {
      const made = call(`call-${++calls}`, part.tool, JSON.parse(part.args) as JsonObject);
      content.push({ ...made, ...(part.metadata && { metadata: part.metadata }) });
    } else if (part.type === "provider-call") {
      const { type, ...rest } = part;
      const outcome = parts.find((other) => other.type === "provider-result" && other.providerId === part.providerId);
      content.push({ type, ...rest, ...(outcome?.type === "provider-result" && { result: outcome.result }) });
    } else if (part.type === "file") {
      content.push(part);
    }
  }
  return { role: "assistant", content };
}

export function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
}

/** The failure that ended the stream; throws if it ended otherwise, or if there was more than one end. */
export function failureOf(parts: readonly ModelPart[]) {
  const ends = parts.filter((part) => part.type === "failure" || part.type === "finish");
  const [end] = ends;
  if (ends.length !== 1 || end?.type !== "failure" || parts.at(-1) !== end) {
    throw new Error(`expected one failure at the end, got ${JSON.stringify(ends)}`);
  }
  return end.failure;
}

export function finishOf(parts: readonly ModelPart[]) {
  const ends = parts.filter((part) => part.type === "failure" || part.type === "finish");
  const [end] = ends;
  if (ends.length !== 1 || end?.type !== "finish" || parts.at(-1) !== end) {
    throw new Error(`expected one finish at the end, got ${JSON.stringify(ends)}`);
  }
  return end;
}
