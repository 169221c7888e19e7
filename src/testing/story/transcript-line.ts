/** One message of a transcript: who speaks, what is said, what is called, what came of a call. */
import type { Call } from "../../core/call.ts";
import type { CallId } from "../../core/ids.ts";
import type { Message, MessageKind } from "../../core/message.ts";
import type { Audience, Part, ResultContent, ResultPart } from "../../core/part.ts";
import { callById } from "../../core/session.ts";
import type { Session } from "../../core/session.ts";

export interface Rendering {
  readonly session: Session;
  /** The place of each call among all calls of the session, from 0. */
  readonly numbers: ReadonlyMap<CallId, number>;
}

const LABELS: Readonly<Record<MessageKind, string>> = {
  prompt: "user",
  steer: "steer",
  reply: "assistant",
  result: "result",
  answer: "answer",
  notice: "notice",
  error: "error",
  nudge: "nudge",
  denial: "denial",
  context: "context",
};
const INDENT = " ".repeat(10);
/** Longer texts are cut in the middle. */
const LONGEST = 2_000;

/** The calls of a session in the order in which they were asked for. */
export function numberCalls({ messages }: Session): ReadonlyMap<CallId, number> {
  const ids = [...messages].flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "call" ? [part.callId] : [])),
  );
  return new Map(ids.map((id, at) => [id, at]));
}

export function messageLine(message: Message, rendering: Rendering): string {
  const pieces = message.parts.map((part) => partText(part, rendering)).filter((text) => text !== "");
  const calls = message.parts.filter((part) => part.type === "call").length;
  const marked = marks(message.audience);
  const text = [...marked, ...pieces].join(calls > 1 ? "\n" : " ") || "(empty)";
  return `${LABELS[message.kind].padEnd(9)} ${text.replaceAll("\n", `\n${INDENT}`)}`.trimEnd();
}

/** The status of a result and its text: what a transcript shows after the name of the tool. */
function resultText(call: Call | undefined, part: ResultPart): string {
  const status = call?.status === "succeeded" ? "ok" : (call?.status ?? "without a call");
  const kind = part.errorKind === undefined ? "" : `(${part.errorKind})`;
  const said = part.content.map(contentText).join(" ");
  return `${status}${kind}: ${said === "" ? "(nothing)" : said}`;
}

function marks({ user, model }: Audience): readonly string[] {
  if (user && model) return [];
  if (user) return ["(user only)"];
  return [model ? "(model only)" : "(nobody)"];
}

function partText(part: Part, { session }: Rendering): string {
  switch (part.type) {
    case "text":
      return cut(part.text);
    case "reasoning":
      return part.text === "" ? "(thinks)" : `(thinks: ${cut(part.text)})`;
    case "file":
      return `[${part.mediaType}]`;
    case "provider-call":
      return `→ ${part.tool} ${JSON.stringify(part.args)} (run by the provider)`;
    case "call":
      return callText(callById(session.calls, part.callId));
    case "result": {
      const call = callById(session.calls, part.callId);
      return `${call?.tool ?? "?"} ${resultText(call, part)}`;
    }
    case "error":
      return `(${part.kind}) ${cut(part.message)}`;
    default:
      return part satisfies never;
  }
}

function callText(call: Call | undefined): string {
  if (!call) return "→ ?";
  const asked = typeof call.requested === "string" ? `(raw) ${call.requested}` : JSON.stringify(call.requested);
  return `→ ${call.tool} ${cut(asked)}${call.edited ? ` (edited to ${JSON.stringify(call.args)})` : ""}`;
}

function contentText(content: ResultContent): string {
  const mark = content.audience ? [...marks(content.audience), ""].join(" ") : "";
  switch (content.type) {
    case "text":
      return `${mark}${cut(content.text)}`;
    case "json":
      return `${mark}${cut(JSON.stringify(content.value))}`;
    case "file":
      return `${mark}[${content.mediaType}]`;
    default:
      return content satisfies never;
  }
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST) return text;
  const half = LONGEST / 2;
  const left = characters.length - LONGEST;
  return `${characters.slice(0, half).join("")}…(${left} more)…${characters.slice(-half).join("")}`;
}
