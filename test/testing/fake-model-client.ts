/** What the tests of the fake model listen with: the real client libraries, their parts written as lines. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import type { FakeModel, Protocol, Reply } from "../../src/testing/index.ts";

export const PROTOCOLS = ["anthropic", "openai"] as const;

/** The real client library of a protocol, pointed at a fake model. */
export function client(url: string, protocol: Protocol): LanguageModelV3 {
  return protocol === "anthropic"
    ? createAnthropic({ baseURL: url, apiKey: "key" }).languageModel("claude-test")
    : createOpenAICompatible({ name: "compatible", baseURL: url, apiKey: "key", includeUsage: true }).languageModel(
        "gpt-test",
      );
}

export function user(said: string): LanguageModelV3Prompt[number] {
  return { role: "user", content: [{ type: "text", text: said }] };
}

export type Tools = NonNullable<LanguageModelV3CallOptions["tools"]>;
export const charge: Tools = [
  { type: "function", name: "charge", inputSchema: { type: "object", properties: { eur: { type: "number" } } } },
];

/** What the client library makes of the answer, a line for each part but the opening ones; a failure is its last line. */
export async function hear(
  model: FakeModel,
  protocol: Protocol,
  options: Partial<LanguageModelV3CallOptions> = {},
): Promise<string[]> {
  const lines: string[] = [];
  try {
    const { stream } = await client(model.url, protocol).doStream({ prompt: [user("hello")], ...options });
    for await (const part of stream) lines.push(...partLine(part));
  } catch (error) {
    lines.push(errorLine(error));
  }
  return lines;
}

function partLine(part: LanguageModelV3StreamPart): string[] {
  const metadata = (own: { providerMetadata?: unknown }) =>
    own.providerMetadata === undefined ? "" : ` ${JSON.stringify(own.providerMetadata)}`;
  switch (part.type) {
    case "stream-start":
    case "response-metadata":
      return [];
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return [`${part.type} ${JSON.stringify(part.delta)}${metadata(part)}`];
    case "tool-call":
      return [
        `tool-call ${part.toolCallId} ${part.toolName} ${part.input}${part.providerExecuted === true ? " provider-executed" : ""}`,
      ];
    case "tool-result":
      return [`tool-result ${part.toolCallId} ${JSON.stringify(part.result)}`];
    case "finish": {
      const { inputTokens: input, outputTokens: output } = part.usage;
      const usage = `in ${input.noCache}+${input.cacheRead}+${input.cacheWrite} out ${output.total}`;
      return [`finish ${part.finishReason.unified} (${part.finishReason.raw}) ${usage}`];
    }
    case "error":
      return [`error ${part.error instanceof Error ? part.error.name : JSON.stringify(part.error)}`];
    default:
      return [
        `${part.type}${"toolName" in part ? ` ${part.toolName}` : ""}${"providerMetadata" in part ? metadata(part) : ""}`,
      ];
  }
}

function errorLine(error: unknown): string {
  const { name, message, statusCode, isRetryable } = error as Error & { statusCode?: number; isRetryable?: boolean };
  return `throws ${name} ${statusCode} retryable ${isRetryable}: ${message}`;
}

/** What both libraries make of the same reply. */
export async function hearBoth(model: FakeModel, reply: Reply) {
  model.on("hello").times(2).answers(reply);
  return { anthropic: await hear(model, "anthropic"), openai: await hear(model, "openai") };
}

/** A request as it stands, for what the client libraries would not send. */
export async function post(model: FakeModel, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const raw = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(`${model.url}${path}`, { method: "POST", body: raw });
  return { status: response.status, text: await response.text() };
}
