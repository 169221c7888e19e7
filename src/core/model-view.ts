/** What the model may see of a session: derived, never written back, extended by what is new. */
import type { AppendLog } from "./append-log.ts";
import type { CallId } from "./ids.ts";
import type { Message } from "./message.ts";
import type { AssistantContent, ModelMessage, ToolContent, UserContent } from "./model.ts";
import type { Part, ResultPart } from "./part.ts";
import { callById } from "./session.ts";
import type { Calls, Session } from "./session.ts";

/** A view under construction: the calls of the last reply wait for their results. */
interface Building {
  seen: number;
  readonly messages: ModelMessage[];
  awaited: readonly CallId[];
  readonly results: Map<CallId, ToolContent>;
}

const built = new WeakMap<object, Building>();

/**
 * The conversation as a model gets it: calls with their results in call order directly after the assistant message. Costs what
 * was added since the last time; the array is shared and grows, so it must not be kept or changed.
 */
export function modelView(session: Pick<Session, "messages" | "calls">): readonly ModelMessage[] {
  const { messages, calls } = session;
  const known = built.get(messages.identity);
  const building = known && known.seen <= messages.length ? known : emptyView(messages);
  for (const message of messages.since(building.seen)) addMessage(building, message, calls);
  building.seen = messages.length;
  return building.messages;
}

function emptyView(messages: AppendLog<Message>): Building {
  const building: Building = { seen: 0, messages: [], awaited: [], results: new Map() };
  built.set(messages.identity, building);
  return building;
}

function addMessage(building: Building, message: Message, calls: Calls): void {
  if (!message.audience.model) return;
  switch (message.role) {
    case "assistant":
      addReply(building, message, calls);
      return;
    case "tool":
      for (const part of message.parts) if (part.type === "result") addResult(building, part, calls);
      return;
    case "user":
    case "system": {
      const content = message.parts.flatMap(userContent);
      if (content.length > 0) building.messages.push({ role: "user", content });
      return;
    }
    default:
      message.role satisfies never;
  }
}

function userContent(part: Part): readonly UserContent[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  return part.type === "file" ? [{ type: "file", mediaType: part.mediaType, data: part.data }] : [];
}

/** A reply with nothing but reasoning is left out: no provider takes it back. */
function addReply(building: Building, message: Message, calls: Calls): void {
  const content = message.parts.flatMap((part) => assistantContent(part, calls));
  if (!content.some((part) => part.type !== "reasoning")) return;
  building.messages.push({ role: "assistant", content });
  building.awaited = content.flatMap((part) => (part.type === "call" ? [part.callId] : []));
  building.results.clear();
}

function assistantContent(part: Part, calls: Calls): readonly AssistantContent[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [part as AssistantContent];
    case "reasoning":
    case "file":
    case "provider-call":
      return [part as AssistantContent];
    case "call": {
      const call = callById(calls, part.callId);
      if (!call) return [];
      const args = typeof call.requested === "string" ? {} : call.requested;
      const { metadata } = part;
      return [{ type: "call", callId: call.id, tool: call.tool, args, ...(metadata && { metadata }) }];
    }
    case "result":
    case "error":
      return [];
    default:
      return part satisfies never;
  }
}

function addResult(building: Building, part: ResultPart, calls: Calls): void {
  building.results.set(part.callId, {
    callId: part.callId,
    tool: callById(calls, part.callId)?.tool ?? "",
    isError: part.isError,
    content: part.content.filter((piece) => piece.audience?.model ?? true),
  });
  const results = building.awaited.map((id) => building.results.get(id));
  if (results.some((result) => result === undefined)) return;
  building.messages.push({ role: "tool", content: results as ToolContent[] });
  building.awaited = [];
}
