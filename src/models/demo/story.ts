/** What has happened in the demo so far, read from the request's messages alone. */
import type { AssistantContent, ModelMessage, ToolContent } from "../../core/model.ts";
import { DEMO_PROMPT } from "./workspace.ts";

export type Ending = "worked" | "failed" | "interrupted";

/** One call with what came of it. */
export interface Done {
  readonly tool: string;
  readonly path: string | undefined;
  readonly text: string;
  readonly ending: Ending;
}

/** Undefined if the newest prompt is not the demo's. */
export function storyOf(messages: readonly ModelMessage[]): readonly Done[] | undefined {
  const start = messages.findLastIndex((message) => message.role === "user" && textOf(message) === plain(DEMO_PROMPT));
  if (start === -1) return undefined;
  const since = messages.slice(start + 1);
  const answered = since.findLastIndex((message) => message.role === "assistant" && callsOf(message).length === 0);
  if (answered !== -1 && since.slice(answered).some((message) => message.role === "user")) return undefined;
  const calls = since.flatMap(callsOf);
  const results = since.flatMap((message) => (message.role === "tool" ? message.content : []));
  return results.flatMap((result) => {
    const call = calls.find(({ callId }) => callId === result.callId);
    return call === undefined ? [] : [doneOf(call, result)];
  });
}

type Call = Extract<AssistantContent, { type: "call" }>;

function callsOf(message: ModelMessage): readonly Call[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
}

function doneOf({ tool, args }: Call, { isError, content }: ToolContent): Done {
  const text = content.map((piece) => (piece.type === "text" ? piece.text : "")).join("\n");
  const path = typeof args["path"] === "string" ? args["path"] : undefined;
  return { tool, path, text, ending: isError ? (/interrupt/i.test(text) ? "interrupted" : "failed") : "worked" };
}

function textOf(message: Extract<ModelMessage, { role: "user" }>): string {
  return plain(message.content.map((part) => (part.type === "text" ? part.text : "")).join(" "));
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
