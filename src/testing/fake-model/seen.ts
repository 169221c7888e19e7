/** What the model sees, in one shape for both protocols, so that rules and assertions need not know which one was spoken. */

export type Protocol = "anthropic" | "openai";

/** A request that the model got, normalised; refused ones are recorded too if their shape could be read. */
export interface SeenRequest {
  readonly protocol: Protocol;
  readonly model: string;
  readonly stream: boolean;
  /** The system prompt; several blocks are joined by a blank line. */
  readonly system: string;
  readonly messages: readonly SeenMessage[];
  /** Names of the tools on offer, in order. */
  readonly tools: readonly string[];
  /** What came after the model's last message: the texts of users and of tool results, one a line. Rules match on it. */
  readonly newest: string;
  /** The parsed body as it came. */
  readonly body: unknown;
  /** The text of the body as it came. */
  readonly rawBody: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Tool results are a message of the role `tool` on both protocols; text next to them is a user message of its own. */
export interface SeenMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly toolCalls: readonly SeenToolCall[];
  readonly toolResults: readonly SeenToolResult[];
}

export interface SeenToolCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments. */
  readonly input: unknown;
}

export interface SeenToolResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A request turned away, in the provider's own words. */
export interface Refusal {
  readonly protocol: Protocol;
  readonly reason: string;
  readonly rawBody: string;
}

export function seenMessage(role: SeenMessage["role"], fields: Partial<Omit<SeenMessage, "role">>): SeenMessage {
  return { role, text: "", toolCalls: [], toolResults: [], ...fields };
}

/** The text of what follows the last assistant message. A trailing assistant message is a prefill and does not count as one. */
export function newestText(messages: readonly SeenMessage[]): string {
  const lastAnswer = messages.slice(0, -1).findLastIndex((message) => message.role === "assistant");
  return messages
    .slice(lastAnswer + 1)
    .flatMap((message) => [...message.toolResults.map((result) => result.text), message.text])
    .filter((line) => line !== "")
    .join("\n");
}
