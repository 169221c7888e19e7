/** Turns a request of the engine into the call that a provider's package takes. */
import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import type { ModelMessage, ModelRequest } from "../core/model.ts";
import type { ToolSpec } from "../core/tool.ts";
import { convertMessage } from "./message.ts";
import type { Dialect } from "./providers.ts";

/** Anthropic caches up to each marked place and allows four of them. */
const MARK = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };

/** `owner` is whose metadata may be sent. Each message is converted once and remembered as long as it lives. */
export function createPromptMaker(
  dialect: Dialect,
  owner: string,
): (request: ModelRequest) => LanguageModelV3CallOptions {
  const converted = new WeakMap<ModelMessage, LanguageModelV3Message | "nothing">();
  const convert = (message: ModelMessage) => {
    const known = converted.get(message);
    if (known !== undefined) return known;
    const made = convertMessage(message, dialect, owner) ?? "nothing";
    converted.set(message, made);
    return made;
  };
  return ({ system, tools, messages, attention }) => {
    const history: LanguageModelV3Prompt = [];
    for (const message of messages) {
      const made = convert(message);
      if (made !== "nothing") history.push(made);
    }
    const mark = dialect.marksCache ? MARK : {};
    if (dialect.marksCache) markEnds(history);
    return {
      prompt: [
        ...(system === "" ? [] : [{ role: "system" as const, content: system, ...mark }]),
        ...history,
        ...(attention.length === 0 ? [] : [reminder(attention)]),
      ],
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((tool, at) => convertTool(tool, at === tools.length - 1 ? mark : {})) }),
      ...(dialect.options === undefined ? {} : { providerOptions: dialect.options }),
    };
  };
}

/** Marks the end of this request's conversation and of the one before, so that what the last call wrote is found again. */
function markEnds(history: LanguageModelV3Prompt): void {
  const before = history.findLastIndex((message) => message.role === "assistant") - 1;
  for (const at of new Set([before, history.length - 1])) {
    const message = history[at];
    if (message !== undefined) history[at] = { ...message, ...MARK };
  }
}

function reminder(attention: readonly string[]): LanguageModelV3Message {
  return { role: "user", content: attention.map((text) => ({ type: "text", text })) };
}

function convertTool(
  { name, description, inputSchema }: ToolSpec,
  mark: Partial<typeof MARK>,
): LanguageModelV3FunctionTool {
  return { type: "function", name, description, inputSchema: inputSchema as JSONSchema7, ...mark };
}
