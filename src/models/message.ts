/** Turns one message of the engine into one of the provider's package, without what its API would refuse. */
import type {
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { isPlainObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { AssistantContent, ModelMessage, ToolContent, UserContent } from "../core/model.ts";
import type { ProviderMetadata } from "../core/part.ts";
import { shownAs, textOfFile } from "./file.ts";
import type { Dialect } from "./providers.ts";

const LONGEST_NAME = 64;

type Message<Role extends LanguageModelV3Message["role"]> = Extract<LanguageModelV3Message, { role: Role }>;
type AssistantPart = Message<"assistant">["content"][number];
type ToolPart = Message<"tool">["content"][number];

/** Undefined if nothing of the message can be sent. Metadata of another owner than `owner` stays behind. */
export function convertMessage(
  message: ModelMessage,
  dialect: Dialect,
  owner: string,
): LanguageModelV3Message | undefined {
  switch (message.role) {
    case "user":
      return withContent(
        "user",
        message.content.flatMap((part) => userParts(part, dialect)),
      );
    case "assistant":
      return withContent("assistant", assistantParts(message.content, dialect, owner));
    case "tool":
      return withContent(
        "tool",
        message.content.map((result) => toolPart(result, dialect)),
      );
    default:
      return message satisfies never;
  }
}

function withContent(role: "user", content: Message<"user">["content"]): Message<"user"> | undefined;
function withContent(role: "assistant", content: AssistantPart[]): Message<"assistant"> | undefined;
function withContent(role: "tool", content: ToolPart[]): Message<"tool"> | undefined;
function withContent(role: "user" | "assistant" | "tool", content: readonly unknown[]): unknown {
  return content.length === 0 ? undefined : { role, content };
}

/** Blank texts are left out: Anthropic refuses them. */
function userParts(part: UserContent, dialect: Dialect): Message<"user">["content"] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
  const { mediaType, data } = part;
  if (shownAs(mediaType, dialect.files.user) === "file") return [{ type: "file", mediaType, data }];
  return [{ type: "text", text: textOfFile(mediaType, data) }];
}

function assistantParts(content: readonly AssistantContent[], dialect: Dialect, owner: string): AssistantPart[] {
  const own = (metadata: ProviderMetadata | undefined) => (metadata?.provider === owner ? metadata.data : undefined);
  const siblings = content
    .filter((part) => part.type === "reasoning")
    .map((part) => own(part.metadata))
    .filter((data) => data !== undefined);
  const parts = content.flatMap((part): AssistantPart[] => {
    const data = own(part.metadata);
    const options = optionsOf(dialect.optionsKey, data);
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text, ...options }];
      case "reasoning":
        if (data === undefined || !dialect.takesReasoning(data, siblings)) return [];
        return [{ type: "reasoning", text: part.text, ...options }];
      case "file": {
        const { mediaType, data: bytes } = part;
        if (shownAs(mediaType, dialect.files.assistant) === "file")
          return [{ type: "file", mediaType, data: bytes, ...options }];
        return [{ type: "text", text: textOfFile(mediaType, bytes), ...options }];
      }
      case "call":
        return [
          { type: "tool-call", toolCallId: part.callId, toolName: nameOf(part.tool), input: part.args, ...options },
        ];
      case "provider-call":
        return data === undefined || !dialect.takesProviderCalls
          ? []
          : providerCallParts(part, dialect.optionsKey, data);
      default:
        return part satisfies never;
    }
  });
  // Reasoning that leads to nothing is refused by Anthropic at the end of a message and by OpenAI anywhere.
  return parts.slice(0, parts.findLastIndex((part) => part.type !== "reasoning") + 1);
}

/** A call without its result cannot be sent: the API wants both. */
function providerCallParts(
  call: Extract<AssistantContent, { type: "provider-call" }>,
  optionsKey: string,
  data: JsonObject,
): AssistantPart[] {
  const { providerId: toolCallId, tool: toolName, args: input, result } = call;
  if (result === undefined) return [];
  return [
    { type: "tool-call", toolCallId, toolName, input, providerExecuted: true, ...optionsOf(optionsKey, data) },
    {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: saysError(result) ? "error-json" : "json", value: result as never },
      ...optionsOf(optionsKey, call.resultMetadata?.data),
    },
  ];
}

function saysError(result: JsonValue): boolean {
  return isPlainObject(result) && typeof result["type"] === "string" && result["type"].endsWith("_error");
}

function optionsOf(key: string, data: JsonObject | undefined): { providerOptions?: SharedV3ProviderOptions } {
  if (data === undefined || Object.keys(data).length === 0) return {};
  return { providerOptions: { [key]: data as SharedV3ProviderOptions[string] } };
}

function toolPart({ callId, tool, isError, content }: ToolContent, dialect: Dialect): ToolPart {
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: nameOf(tool),
    output: outputOf(isError, content, dialect),
  };
}

/** The model may have called what no tool can be named; every provider refuses a conversation with such a name in it. */
function nameOf(tool: string): string {
  return tool.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "_";
}

/** All texts become one: Google's package would make a result of each, and chat-completions knows but one. */
function outputOf(
  isError: boolean,
  content: ToolContent["content"],
  dialect: Dialect,
): LanguageModelV3ToolResultOutput {
  const files: { readonly mediaType: string; readonly data: string }[] = [];
  const texts = content.flatMap((piece) => {
    if (piece.type === "text") return piece.text;
    if (piece.type === "json") return JSON.stringify(piece.value);
    if (isError || shownAs(piece.mediaType, dialect.files.result) === "text")
      return textOfFile(piece.mediaType, piece.data);
    files.push(piece);
    return [];
  });
  const said = texts.join("\n");
  if (files.length === 0)
    return { type: isError ? "error-text" : "text", value: said.trim() === "" ? "(empty result)" : said };
  return {
    type: "content",
    value: [
      { type: "text", text: said.trim() === "" ? `(${files.length} file${files.length === 1 ? "" : "s"})` : said },
      ...files.map(({ mediaType, data }) =>
        mediaType.startsWith("image/")
          ? { type: "image-data" as const, mediaType, data }
          : { type: "file-data" as const, mediaType, data },
      ),
    ],
  };
}
