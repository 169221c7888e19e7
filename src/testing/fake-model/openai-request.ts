/** The shape of an OpenAI chat-completions request, what the model sees of it, and what OpenAI refuses about it. */
import { z } from "zod";
import { newestText, seenMessage, type SeenMessage } from "./seen.ts";
import { parsedOrText, type ReadRequest } from "./wire.ts";

const Parts = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);
const ToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const Message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: Parts }),
  z.looseObject({ role: z.literal("developer"), content: Parts }),
  z.looseObject({ role: z.literal("user"), content: Parts }),
  z.looseObject({
    role: z.literal("assistant"),
    content: Parts.nullish(),
    tool_calls: z.array(ToolCall).min(1).optional(),
  }),
  z.looseObject({ role: z.literal("tool"), content: Parts, tool_call_id: z.string() }),
]);
type Message = z.infer<typeof Message>;

/** The fields the fake model looks at; all others pass. */
export const OpenaiRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal("function"),
        function: z.looseObject({
          name: z.string(),
          parameters: z.looseObject({ type: z.literal("object") }).optional(),
        }),
      }),
    )
    .min(1)
    .optional(),
});
export type OpenaiRequest = z.infer<typeof OpenaiRequest>;

export function readOpenaiRequest(body: OpenaiRequest): ReadRequest {
  const messages = body.messages.reduce<SeenMessage[]>(addMessage, []);
  const system = body.messages.filter((message) => message.role === "system" || message.role === "developer");
  return {
    model: body.model,
    stream: body.stream ?? false,
    system: system.map((message) => textOf(message.content)).join("\n\n"),
    messages,
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    newest: newestText(messages),
    body,
  };
}

/** Tool messages that follow each other become one, so that both protocols read the same. */
function addMessage(seen: SeenMessage[], message: Message): SeenMessage[] {
  switch (message.role) {
    case "system":
    case "developer":
      return seen;
    case "user":
      return [...seen, seenMessage("user", { text: textOf(message.content) })];
    case "assistant": {
      const toolCalls = (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        input: parsedOrText(call.function.arguments),
      }));
      return [...seen, seenMessage("assistant", { text: textOf(message.content), toolCalls })];
    }
    case "tool": {
      const last = seen.at(-1);
      const result = { id: message.tool_call_id, text: textOf(message.content), isError: false };
      if (last?.role !== "tool") return [...seen, seenMessage("tool", { toolResults: [result] })];
      return [...seen.slice(0, -1), seenMessage("tool", { toolResults: [...last.toolResults, result] })];
    }
    default:
      return message satisfies never;
  }
}

function textOf(content: z.infer<typeof Parts> | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");
}

/** The first thing wrong with the request, or undefined. */
export function openaiRefusal(request: OpenaiRequest): string | undefined {
  return toolsRefusal(request) ?? messagesRefusal(request.messages);
}

const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function toolsRefusal({ tools = [] }: OpenaiRequest): string | undefined {
  const names = tools.map((tool) => tool.function.name);
  const bad = names.findIndex((name) => !FUNCTION_NAME.test(name));
  if (bad !== -1) {
    return `Invalid 'tools[${bad}].function.name': string does not match pattern. Expected a string that matches the pattern '${FUNCTION_NAME.source}', got ${JSON.stringify(names[bad])}.`;
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `Invalid 'tools': function names must be unique, got '${twice}' twice.`;
}

function messagesRefusal(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  let called: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) return resultRefusal(message.tool_call_id, at, called);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return unansweredRefusal(open);
    called = message.role === "assistant" ? (message.tool_calls ?? []).map((call) => call.id) : [];
    open = called;
    const refusal = message.role === "assistant" ? assistantRefusal(message, at) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return open.length > 0 ? unansweredRefusal(open) : undefined;
}

function resultRefusal(id: string, at: number, called: readonly string[]): string {
  if (called.includes(id)) {
    return `Invalid parameter: messages[${at}]: duplicate 'tool' message for tool_call_id '${id}'.`;
  }
  return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. messages[${at}] has tool_call_id '${id}'.`;
}

function unansweredRefusal(ids: readonly string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
}

function assistantRefusal(message: Extract<Message, { role: "assistant" }>, at: number): string | undefined {
  const calls = message.tool_calls ?? [];
  if (message.content == null && calls.length === 0) {
    return `Invalid value for 'content': expected a string, got null. messages[${at}] has no tool_calls either.`;
  }
  const ids = calls.map((call) => call.id);
  const twice = ids.find((id, position) => ids.indexOf(id) !== position);
  if (twice !== undefined) return `Invalid 'messages[${at}].tool_calls': duplicate id '${twice}'.`;
  for (const [position, call] of calls.entries()) {
    const where = `messages[${at}].tool_calls[${position}]`;
    if (call.id.length > 40) {
      return `Invalid '${where}.id': string too long. Expected a string with maximum length 40, but got a string with length ${call.id.length} instead.`;
    }
    if (!FUNCTION_NAME.test(call.function.name))
      return `Invalid '${where}.function.name': string does not match pattern '${FUNCTION_NAME.source}'.`;
    if (!isJson(call.function.arguments))
      return `Invalid '${where}.function.arguments': expected a string of valid JSON, got ${JSON.stringify(call.function.arguments)}.`;
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
