/** The shape of an Anthropic Messages request, and what the model sees of it. */
import { z } from "zod";
import { newestText, seenMessage, type SeenMessage } from "./seen.ts";
import type { ReadRequest } from "./wire.ts";

const cached = { cache_control: z.unknown().optional() };
const TextBlock = z.looseObject({ type: z.literal("text"), text: z.string(), ...cached });
const ImageBlock = z.looseObject({ type: z.literal("image"), source: z.looseObject({ type: z.string() }), ...cached });
const DocumentBlock = z.looseObject({
  type: z.literal("document"),
  source: z.looseObject({ type: z.string() }),
  ...cached,
});

const Block = z.discriminatedUnion("type", [
  TextBlock,
  ImageBlock,
  DocumentBlock,
  z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    ...cached,
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion("type", [TextBlock, ImageBlock, DocumentBlock]))])
      .optional(),
    is_error: z.boolean().optional(),
    ...cached,
  }),
  z.looseObject({
    type: z.literal("server_tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    ...cached,
  }),
  z.looseObject({
    type: z.literal("web_search_tool_result"),
    tool_use_id: z.string(),
    content: z.unknown(),
    ...cached,
  }),
]);
export type Block = z.infer<typeof Block>;
export type BlockOf<Type extends Block["type"]> = Extract<Block, { type: Type }>;

/** The fields the fake model looks at; all others pass. */
export const AnthropicRequest = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  messages: z.array(
    z.looseObject({ role: z.enum(["user", "assistant"]), content: z.union([z.string(), z.array(Block)]) }),
  ),
  tools: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        name: z.string(),
        input_schema: z.looseObject({}).optional(),
        ...cached,
      }),
    )
    .optional(),
  tool_choice: z.looseObject({ type: z.string() }).optional(),
  thinking: z
    .looseObject({ type: z.enum(["enabled", "disabled", "adaptive"]), budget_tokens: z.int().optional() })
    .optional(),
});
export type AnthropicRequest = z.infer<typeof AnthropicRequest>;
export type AnthropicMessage = AnthropicRequest["messages"][number];

/** The content of a message as blocks; a text is one block, an empty text none. */
export function blocksOf(message: AnthropicMessage): Block[] {
  if (typeof message.content !== "string") return message.content;
  return message.content === "" ? [] : [{ type: "text", text: message.content }];
}

export function blocksOfType<Type extends Block["type"]>(blocks: readonly Block[], type: Type): BlockOf<Type>[] {
  return blocks.filter((block): block is BlockOf<Type> => block.type === type);
}

export function readAnthropicRequest(body: AnthropicRequest): ReadRequest {
  const messages = body.messages.flatMap(seenMessages);
  return {
    model: body.model,
    stream: body.stream ?? false,
    system: typeof body.system === "string" ? body.system : (body.system ?? []).map((block) => block.text).join("\n\n"),
    messages,
    tools: (body.tools ?? []).map((tool) => tool.name),
    newest: newestText(messages),
    body,
  };
}

/** Tool results become a message of their own, so that both protocols read the same. */
function seenMessages(message: AnthropicMessage): SeenMessage[] {
  const blocks = blocksOf(message);
  const text = blocksOfType(blocks, "text")
    .map((block) => block.text)
    .join("\n");
  if (message.role === "assistant") {
    const calls = blocksOfType(blocks, "tool_use");
    return [seenMessage("assistant", { text, toolCalls: calls.map(({ id, name, input }) => ({ id, name, input })) })];
  }
  const toolResults = blocksOfType(blocks, "tool_result").map((result) => ({
    id: result.tool_use_id,
    text: resultText(result),
    isError: result.is_error ?? false,
  }));
  const onlyResults = toolResults.length > 0 && toolResults.length === blocks.length;
  return [
    ...(toolResults.length > 0 ? [seenMessage("tool", { toolResults })] : []),
    ...(onlyResults ? [] : [seenMessage("user", { text })]),
  ];
}

function resultText(result: BlockOf<"tool_result">): string {
  if (typeof result.content === "string") return result.content;
  return (result.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
