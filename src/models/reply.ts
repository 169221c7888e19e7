/** Reads the stream of a provider's package into the engine's own pieces. */
import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import { isPlainObject, type JsonValue } from "../core/json.ts";
import type { ModelPart } from "../core/model.ts";
import type { ProviderMetadata } from "../core/part.ts";
import { cutOff, failureOf, finishOf, type EndContext, type PartOf } from "./ending.ts";

export interface ReplyReader {
  /** What one part of the stream means; a finish or failure is the last piece. */
  read(part: LanguageModelV3StreamPart): readonly ModelPart[];
  /** What it means that the stream ended without saying so. */
  cut(): ModelPart;
}

export interface ReplyContext extends EndContext {
  /** Whose metadata it is, as `ProviderMetadata.provider` has it. */
  readonly provider: string;
  readonly metadataKey: string;
}

export function createReplyReader(context: ReplyContext): ReplyReader {
  const blocks = createBlocks(context);
  const inputs = createInputs();
  let answered = false;

  const content = (pieces: readonly ModelPart[]) => {
    answered ||= pieces.length > 0;
    return pieces;
  };

  return {
    cut: () => cutOff(context, answered),
    read(part) {
      switch (part.type) {
        case "text-start":
        case "text-delta":
        case "text-end":
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          return content(blocks.read(part));
        case "tool-input-start":
        case "tool-input-delta":
          return content(inputs.read(part));
        case "tool-call":
          return content([callOf(part, context)]);
        case "tool-result":
          return part.preliminary === true ? [] : [resultOf(part, context)];
        case "file":
          return content([fileOf(part, context)]);
        case "finish":
          return [finishOf(part, context, answered)];
        case "error":
          return [failureOf(part, context, answered)];
        case "tool-input-end":
        case "tool-approval-request":
        case "source":
        case "stream-start":
        case "response-metadata":
        case "raw":
          return [];
        default:
          return part satisfies never;
      }
    },
  };
}

type BlockPart = PartOf<
  "text-start" | "text-delta" | "text-end" | "reasoning-start" | "reasoning-delta" | "reasoning-end"
>;

/** Blocks are numbered in their order, because some packages use the same id for every block of a kind. */
function createBlocks(context: ReplyContext): { read(part: BlockPart): ModelPart[] } {
  const open = new Map<string, string>();
  let count = 0;
  return {
    read(part) {
      const kind = part.type.startsWith("text") ? "text" : "reasoning";
      const key = `${kind} ${part.id}`;
      if (part.type.endsWith("-start") || !open.has(key)) open.set(key, `${kind}-${count++}`);
      const id = open.get(key) as string;
      if (part.type.endsWith("-end")) open.delete(key);
      const text = "delta" in part ? part.delta : "";
      const opensReasoning = part.type === "reasoning-start";
      const metadata = opensReasoning
        ? { metadata: ownMetadata(part.providerMetadata, context) }
        : metadataOf(part, context);
      if (text === "" && metadata.metadata === undefined) return [];
      return [{ type: `${kind}-delta`, id, text, ...metadata }];
    },
  };
}

/** Input as it is written; that of calls which the provider runs is not shown. */
function createInputs(): { read(part: PartOf<"tool-input-start" | "tool-input-delta">): ModelPart[] } {
  const tools = new Map<string, string>();
  return {
    read(part) {
      if (part.type === "tool-input-start") {
        if (part.providerExecuted !== true) tools.set(part.id, part.toolName);
        return [];
      }
      const tool = tools.get(part.id);
      return tool === undefined ? [] : [{ type: "call-delta", id: part.id, tool, text: part.delta }];
    },
  };
}

function callOf(part: PartOf<"tool-call">, context: ReplyContext): ModelPart {
  const { toolCallId: providerId, toolName: tool } = part;
  if (part.providerExecuted === true) {
    const metadata = ownMetadata(part.providerMetadata, context);
    return { type: "provider-call", providerId, tool, args: jsonOrText(part.input), metadata };
  }
  // The packages leave the input of a call without arguments empty.
  const args = part.input.trim() === "" ? "{}" : part.input;
  return { type: "call", providerId, tool, args, ...metadataOf(part, context) };
}

function resultOf(part: PartOf<"tool-result">, context: ReplyContext): ModelPart {
  return {
    type: "provider-result",
    providerId: part.toolCallId,
    result: plainJson(part.result),
    ...metadataOf(part, context),
  };
}

function fileOf(part: PartOf<"file">, context: ReplyContext): ModelPart {
  const { mediaType, data } = part;
  const text = typeof data === "string" ? data : Buffer.from(data).toString("base64");
  return { type: "file", mediaType, data: text, ...metadataOf(part, context) };
}

function metadataOf(part: { providerMetadata?: SharedV3ProviderMetadata }, context: ReplyContext) {
  const metadata = ownMetadata(part.providerMetadata, context);
  return Object.keys(metadata.data).length === 0 ? {} : { metadata };
}

/** Always present where only the provider's own mark says that its maker may have it back: reasoning and its own calls. */
function ownMetadata(metadata: SharedV3ProviderMetadata | undefined, context: ReplyContext): ProviderMetadata {
  const data = plainJson(metadata?.[context.metadataKey] ?? {});
  return { provider: context.provider, data: isPlainObject(data) ? data : {} };
}

/** A copy that is JSON and nothing else: members that are undefined are gone. */
function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}

function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text === "" ? "{}" : text) as JsonValue;
  } catch {
    return text;
  }
}
