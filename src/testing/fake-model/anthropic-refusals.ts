/** What Anthropic refuses although its shape can be read, in Anthropic's words as far as they are known. */
import {
  blocksOf,
  blocksOfType,
  type AnthropicMessage,
  type AnthropicRequest,
  type Block,
} from "./anthropic-request.ts";

/** What this server gave out and takes back only unchanged. */
export interface Issued {
  /** The thinking that each signature signs. */
  readonly signatures: Map<string, string>;
  readonly redacted: Set<string>;
  /** Ids of calls in replies without thinking, which may come back without it. */
  readonly bareCalls: Set<string>;
}

/** The first thing wrong with the request, or undefined. */
export function anthropicRefusal(request: AnthropicRequest, issued: Issued): string | undefined {
  return (
    messagesRefusal(request.messages) ??
    systemRefusal(request) ??
    callIdsRefusal(request.messages) ??
    firstOf(request.messages, (_, at, messages) => pairingRefusal(messages, at)) ??
    firstOf(request.messages, (message, at) =>
      firstOf(blocksOf(message), (block, part) =>
        blockRefusal(block, { message, where: `messages.${at}.content.${part}`, issued }),
      ),
    ) ??
    toolsRefusal(request) ??
    cacheRefusal(request) ??
    thinkingRefusal(request, issued)
  );
}

function firstOf<Item>(
  items: readonly Item[],
  refuse: (item: Item, at: number, items: readonly Item[]) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const refusal = refuse(item, at, items);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function messagesRefusal(messages: readonly AnthropicMessage[]): string | undefined {
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  const last = messages.length - 1;
  const empty = messages.findIndex(
    (message, at) => blocksOf(message).length === 0 && !(at === last && message.role === "assistant"),
  );
  if (empty !== -1)
    return `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`;
  const end = messages[last]?.role === "assistant" ? blocksOf(messages[last]).at(-1) : undefined;
  if (end?.type === "text" && end.text !== end.text.trimEnd()) {
    return "messages: final assistant content cannot end with trailing whitespace";
  }
  return undefined;
}

function systemRefusal({ system }: AnthropicRequest): string | undefined {
  if (!Array.isArray(system)) return undefined;
  return firstOf(system, (block, at) => textRefusal(block.text, `system.${at}`));
}

function callIdsRefusal(messages: readonly AnthropicMessage[]): string | undefined {
  const seen = new Set<string>();
  return firstOf(messages, (message, at) =>
    firstOf(blocksOf(message), (block, part) => {
      if (block.type !== "tool_use" && block.type !== "server_tool_use") return undefined;
      const where = `messages.${at}.content.${part}`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(block.id)) {
        return `${where}.${block.type}.id: String should match pattern '^[a-zA-Z0-9_-]+$' and have at most 64 characters, got ${JSON.stringify(block.id)}`;
      }
      if (seen.has(block.id)) return `${where}: \`tool_use\` ids must be unique, got ${block.id} twice`;
      seen.add(block.id);
      return undefined;
    }),
  );
}

/** Calls and their results: a result for each call directly after it, and no result without a call. */
function pairingRefusal(messages: readonly AnthropicMessage[], at: number): string | undefined {
  const blocks = blocksOf(messages[at] as AnthropicMessage);
  const next = messages[at + 1];
  const results = blocksOfType(blocks, "tool_result");
  const previous = at > 0 ? blocksOf(messages[at - 1] as AnthropicMessage) : [];
  const called = new Set(blocksOfType(previous, "tool_use").map((use) => use.id));
  const stray = results.find((result) => !called.has(result.tool_use_id));
  if (stray !== undefined) {
    return `messages.${at}.content.${blocks.indexOf(stray)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  const answered = results.map((result) => result.tool_use_id);
  const twice = answered.find((id, position) => answered.indexOf(id) !== position);
  if (twice !== undefined)
    return `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
  if (blocks.slice(0, results.length).some((block) => block.type !== "tool_result")) {
    return `messages.${at}: \`tool_result\` blocks must come first in the content of a message`;
  }
  const answers = new Set(
    next === undefined ? [] : blocksOfType(blocksOf(next), "tool_result").map((result) => result.tool_use_id),
  );
  const open = blocksOfType(blocks, "tool_use").filter((use) => !answers.has(use.id));
  if (open.length === 0) return undefined;
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map((use) => use.id).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

interface Place {
  readonly message: AnthropicMessage;
  /** The path that complaints begin with. */
  readonly where: string;
  readonly issued: Issued;
}

const ROLES: Record<Block["type"], "user" | "assistant" | "either"> = {
  text: "either",
  image: "either",
  document: "either",
  tool_result: "user",
  tool_use: "assistant",
  thinking: "assistant",
  redacted_thinking: "assistant",
  server_tool_use: "assistant",
  web_search_tool_result: "assistant",
};

function blockRefusal(block: Block, { message, where, issued }: Place): string | undefined {
  const role = ROLES[block.type];
  if (role !== "either" && role !== message.role) {
    return `${where}: \`${block.type}\` blocks can only be in \`${role}\` messages`;
  }
  const siblings = blocksOf(message);
  switch (block.type) {
    case "text":
      return textRefusal(block.text, where);
    case "tool_result":
      return resultRefusal(block.content, block.is_error ?? false, where);
    case "tool_use":
      if (TOOL_NAME.test(block.name)) return undefined;
      return `${where}.tool_use.name: String should match pattern '${TOOL_NAME.source}'`;
    case "thinking":
      if (issued.signatures.get(block.signature) === block.thinking) return undefined;
      return `${where}: Invalid \`signature\` in \`thinking\` block${issued.signatures.has(block.signature) ? ": the thinking it signs was changed" : ""}`;
    case "redacted_thinking":
      return issued.redacted.has(block.data) ? undefined : `${where}: Invalid \`data\` in \`redacted_thinking\` block`;
    case "server_tool_use":
      if (blocksOfType(siblings, "web_search_tool_result").some((found) => found.tool_use_id === block.id))
        return undefined;
      return `${where}: \`${block.name}\` tool use with id \`${block.id}\` was found without a corresponding \`${block.name}_tool_result\` block`;
    case "web_search_tool_result":
      if (blocksOfType(siblings, "server_tool_use").some((use) => use.id === block.tool_use_id)) return undefined;
      return `${where}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${block.tool_use_id}`;
    case "image":
    case "document":
      return undefined;
    default:
      return block satisfies never;
  }
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function textRefusal(text: string, where: string): string | undefined {
  if (text === "") return `${where}: text content blocks must be non-empty`;
  return text.trim() === "" ? `${where}: text content blocks must contain non-whitespace text` : undefined;
}

function resultRefusal(
  content: string | { type: string; text?: unknown }[] | undefined,
  isError: boolean,
  where: string,
): string | undefined {
  if (isError && (content === undefined || content.length === 0))
    return `${where}.tool_result: content cannot be empty if \`is_error\` is true`;
  if (content === undefined || typeof content === "string") return undefined;
  return firstOf(content, (part, at) =>
    typeof part.text === "string" ? textRefusal(part.text, `${where}.tool_result.content.${at}`) : undefined,
  );
}

function toolsRefusal({ tools = [], tool_choice: choice, thinking }: AnthropicRequest): string | undefined {
  const names = tools.map((tool) => tool.name);
  const bad = names.findIndex((name) => !TOOL_NAME.test(name));
  if (bad !== -1)
    return `tools.${bad}.custom.name: String should match pattern '${TOOL_NAME.source}', got ${JSON.stringify(names[bad])}`;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `tools: Tool names must be unique, got ${twice} twice`;
  const shapeless = tools.findIndex(
    (tool) => (tool.type === undefined || tool.type === "custom") && tool.input_schema?.["type"] !== "object",
  );
  if (shapeless !== -1) return `tools.${shapeless}.custom.input_schema.type: Input should be 'object'`;
  if (thinking?.type === "enabled" && (choice?.type === "any" || choice?.type === "tool")) {
    return "Thinking may not be enabled when tool_choice forces tool use.";
  }
  return undefined;
}

function cacheRefusal({ system, messages, tools = [] }: AnthropicRequest): string | undefined {
  const blocks = messages.flatMap(blocksOf);
  const nested = blocksOfType(blocks, "tool_result").flatMap((result) =>
    Array.isArray(result.content) ? result.content : [],
  );
  const marked = [...(Array.isArray(system) ? system : []), ...tools, ...blocks, ...nested].filter(
    (block) => block["cache_control"] != null,
  ).length;
  return marked > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.` : undefined;
}

function thinkingRefusal(
  { thinking, messages, max_tokens: maxTokens }: AnthropicRequest,
  issued: Issued,
): string | undefined {
  if (thinking?.type !== "enabled") return undefined;
  const budget = thinking.budget_tokens ?? 0;
  if (budget < 1024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (maxTokens <= budget) return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const blocks = at === -1 ? [] : blocksOf(messages[at] as AnthropicMessage);
  const first = blocks[0];
  const calls = blocksOfType(blocks, "tool_use");
  if (first === undefined || calls.length === 0 || first.type === "thinking" || first.type === "redacted_thinking")
    return undefined;
  if (calls.every((use) => issued.bareCalls.has(use.id))) return undefined;
  return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
}
