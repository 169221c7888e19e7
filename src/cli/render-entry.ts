/** One line a commit: which operation, and what it did. */
import type { Effect } from "../core/effect.ts";
import type { CommitEntry, Entry } from "../core/entry.ts";
import type { Input } from "../core/input.ts";
import type { JsonObject } from "../core/json.ts";
import { textOf } from "../core/message.ts";
import type { NewMessage } from "../core/message.ts";
import type { Session } from "../core/session.ts";
import { askText, callText, resultIn, resultLine } from "./render-call.ts";
import { outcomeText } from "./render-outcome.ts";
import { forEyes, oneLine } from "./render-text.ts";

/** `who` is the operation, or "input" for what a client said. */
export interface EntryLine {
  readonly who: string;
  readonly what: string;
}

interface KnownCall {
  readonly tool: string;
  readonly args: JsonObject | string;
}

/** Remembers the calls it has seen, because an entry names a call by its id alone. */
export interface Narrator {
  /** `streamed`: the text of the reply has just been read as it came. */
  lineOf(entry: Entry, streamed?: boolean): EntryLine;
}

const WIDTH = 96;
const ANSWERS = "answers: ";

export function createNarrator(session: Session): Narrator {
  const calls = new Map<string, KnownCall>();
  for (const { id, tool, args, requested } of session.calls.open.values()) {
    calls.set(id, forEyes({ tool, args: args ?? requested }));
  }
  return {
    lineOf(told, streamed = false) {
      const entry = forEyes(told);
      if (entry.type === "input") return { who: "input", what: inputText(entry.input, calls) };
      learn(entry, calls);
      const what = commitText(entry, calls);
      return { who: entry.operation, what: streamed && what.startsWith(ANSWERS) ? "answers" : what };
    },
  };
}

function learn(entry: CommitEntry, calls: Map<string, KnownCall>): void {
  for (const effect of entry.effects) {
    if (effect.type === "call.request") calls.set(effect.id, { tool: effect.tool, args: effect.requested });
    if (effect.type === "call.admit") {
      const tool = effect.repaired?.tool ?? calls.get(effect.id)?.tool ?? "";
      calls.set(effect.id, { tool, args: effect.args });
    }
  }
}

type Calls = ReadonlyMap<string, KnownCall>;

function commitText(entry: CommitEntry, calls: Calls): string {
  // A prompt that gives a session its title is told as the prompt it is.
  const titled = entry.effects.some(({ type }) => type === "turn.start");
  const told = entry.effects.filter((effect) => !(titled && isTitle(effect)));
  const said = told.map((effect) => effectText(effect, entry, calls)).filter((text) => text !== "");
  return oneLine(said.join(", ") || entry.reason, 2 * WIDTH);
}

function isTitle(effect: Effect): boolean {
  return effect.type === "session.set" && Object.keys(effect.set).join() === "title";
}

function effectText(effect: Effect, entry: CommitEntry, calls: Calls): string {
  switch (effect.type) {
    case "session.create":
      return `a new session in ${effect.workspace}`;
    case "session.set":
      return `sets ${settingText(effect.set)}`;
    case "turn.start":
      return effect.continues === undefined ? "starts a turn" : "goes on with the last turn";
    case "turn.end":
      return `ends the turn: ${outcomeText(effect.outcome)}`;
    case "message.append":
      return messageText(effect.message);
    case "question.open":
      return `asks: ${effect.question.question}`;
    case "timer.set":
      return `waits ${Math.max(0, Math.round((effect.timer.until - entry.at) / 100) / 10)} s to ${effect.timer.purpose}`;
    case "timer.clear":
      return "the wait is over";
    case "input.hold":
      return effect.held ? "holds an input back" : "lets an input go on";
    case "grant.add":
      return `allows ${effect.grant.tool} "${effect.grant.pattern}" for the session`;
    case "question.close":
    case "input.consume":
    case "note.set":
    case "usage.add":
    case "artifact.link":
      return "";
    case "call.request":
    case "call.admit":
    case "call.ask":
    case "call.decide":
    case "call.dispatch":
    case "call.wait":
    case "call.settle":
      return callEffectText(effect, entry, calls);
    default:
      return effect satisfies never;
  }
}

type CallEffect = Extract<Effect, { type: `call.${string}` }>;

function callEffectText(effect: CallEffect, entry: CommitEntry, calls: Calls): string {
  const { tool, args } = calls.get(effect.id) ?? { tool: effect.id, args: undefined };
  switch (effect.type) {
    case "call.request":
      return `calls ${callText(tool, args)}`;
    case "call.admit":
      return `checks ${effect.edited === true ? "the edited arguments of " : ""}${tool}`;
    case "call.ask":
      return `asks: ${askText(tool, args)}`;
    case "call.decide":
      return `${effect.decision.verdict} ${tool}: ${effect.decision.reason}`;
    case "call.dispatch":
      return effect.process ? `${tool} runs as process ${effect.process.pid}` : `starts ${tool}`;
    case "call.wait":
      return `${tool} waits for an answer`;
    case "call.settle":
      return settledText(effect, entry, tool);
    default:
      return effect satisfies never;
  }
}

function settledText(effect: Extract<Effect, { type: "call.settle" }>, entry: CommitEntry, tool: string): string {
  const message = entry.effects.find(
    (other) => other.type === "message.append" && other.message.id === effect.messageId,
  );
  const result = message?.type === "message.append" ? resultIn(message.message.parts) : undefined;
  const what = result ? resultLine(result) : "nothing";
  return effect.status === "succeeded" ? `${tool}: ${what}` : `${tool} ${effect.status}: ${what}`;
}

/** Calls and results are told by their own effects. */
function messageText({ kind, parts }: NewMessage): string {
  const text = oneLine(textOf(parts), WIDTH);
  switch (kind) {
    case "prompt":
    case "steer":
    case "answer":
      return `${kind} "${text}"`;
    case "reply":
      return parts.some((part) => part.type === "call") ? "" : `${ANSWERS}${text}`;
    case "result":
    case "denial":
      return "";
    case "notice":
    case "nudge":
    case "context":
      return `${kind}: ${text}`;
    case "error":
      return parts.flatMap((part) => (part.type === "error" ? [`${part.kind}: ${part.message}`] : [])).join(", ");
    default:
      return kind satisfies never;
  }
}

function settingText(set: Extract<Effect, { type: "session.set" }>["set"]): string {
  const { title, model, mode, limits } = set;
  return [
    title === undefined ? [] : [`title "${oneLine(title, WIDTH)}"`],
    model === undefined ? [] : [`model ${model}`],
    mode === undefined ? [] : [`mode ${mode}`],
    limits?.inferences === undefined ? [] : [`at most ${limits.inferences} model calls a turn`],
  ]
    .flat()
    .join(", ");
}

function inputText(input: Input, calls: Calls): string {
  switch (input.type) {
    case "prompt":
    case "steer":
      return `${input.type} "${oneLine(textOf(input.parts), WIDTH)}"`;
    case "decision": {
      const tool = calls.get(input.callId)?.tool ?? input.callId;
      return `${input.verdict === "approve" ? "approves" : "denies"} ${tool}, by ${input.author}`;
    }
    case "answer":
      return `answers: ${oneLine(JSON.stringify(input.value), WIDTH)}`;
    case "configure":
      return `sets ${settingText(input.set)}`;
    case "withdraw":
      return `withdraws input ${input.inputId}`;
    case "cancel":
    case "continue":
      return input.type;
    default:
      return input satisfies never;
  }
}
