/** What a provider was sent, as lines that a story can show: no ids and no opaque data, but whether there was any. */
import type { SeenRequest } from "../../src/testing/index.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly content?: unknown;
}

interface Message {
  readonly role: string;
  readonly content?: string | null | readonly Block[];
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

/** One line for each message after the system prompt, each part in its place. */
export function sent(request: SeenRequest | undefined): string {
  const body = request?.body as { readonly messages: readonly Message[] } | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role !== "system")
    .map((message) => `${message.role}: ${partsOf(message).join(" | ")}`)
    .join("\n");
}

function partsOf({ content, reasoning_content: reasoning, tool_calls: calls = [] }: Message): readonly string[] {
  return [
    ...(reasoning === undefined ? [] : [`thinking "${reasoning}"`]),
    ...(typeof content === "string" ? [content] : (content ?? []).map(blockText)),
    ...calls.map((call) => `${call.function.name} ${call.function.arguments}`),
  ];
}

function blockText({ type, text, thinking, signature, name, input, content }: Block): string {
  switch (type) {
    case "text":
      return text ?? "";
    case "thinking":
      return `thinking "${thinking}" (${signature ? "signed" : "not signed"})`;
    case "tool_use":
      return `${name} ${JSON.stringify(input)}`;
    case "tool_result":
      return `result ${typeof content === "string" ? content : JSON.stringify(content)}`;
    default:
      return name === undefined ? type : `${type} ${name} ${JSON.stringify(input)}`;
  }
}
