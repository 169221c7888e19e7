/** A session as readable lines, the same in every mode: no ids, no times, no folders of this machine. */
import type { Entry } from "../../core/entry.ts";
import { textOf } from "../../core/message.ts";
import type { Outcome } from "../../core/outcome.ts";
import { standingOf } from "../../core/projection.ts";
import type { Session } from "../../core/session.ts";
import { messageLine, numberCalls } from "./transcript-line.ts";
import type { Rendering } from "./transcript-line.ts";
import type { Message } from "../../core/message.ts";

export interface TranscriptOptions {
  /** The person's home folder, to be written as such. */
  readonly home?: string;
  /** The journal, for how the turns before the last one ended. */
  readonly entries?: readonly Entry[];
}

/** One line for each message, and one for how each turn ended or what it waits for. */
export function transcript(session: Session, { entries = [], home }: TranscriptOptions = {}): string {
  const rendering: Rendering = { session, numbers: numberCalls(session) };
  const ends = entries.flatMap(endsIn);
  const lines: string[] = [];
  for (const message of inCallOrder([...session.messages], rendering)) {
    while (ends[0] && ends[0].seq < message.seq) lines.push(line("outcome", outcomeText(ends.shift()?.outcome)));
    lines.push(messageLine(message, rendering));
  }
  lines.push(...ends.slice(0, -1).map(({ outcome }) => line("outcome", outcomeText(outcome))));
  lines.push(...standing(session));
  return scrub(lines.join("\n"), { workspace: session.session.workspace, home });
}

function line(label: string, text: string): string {
  return `${label.padEnd(9)} ${text}`;
}

function endsIn(entry: Entry): readonly { readonly seq: number; readonly outcome: Outcome }[] {
  if (entry.type === "input") return [];
  return entry.effects.flatMap((effect) =>
    effect.type === "turn.end" ? [{ seq: entry.seq, outcome: effect.outcome }] : [],
  );
}

/** Results land in any order; one batch is written in the order in which it was asked for. */
function inCallOrder(messages: readonly Message[], { numbers }: Rendering): readonly Message[] {
  const ordered: Message[] = [];
  const batch: Message[] = [];
  const place = (message: Message): number => {
    const result = message.parts.find((part) => part.type === "result");
    return (result && numbers.get(result.callId)) ?? 0;
  };
  const flush = (): void => {
    ordered.push(...batch.splice(0).toSorted((left, right) => place(left) - place(right)));
  };
  for (const message of messages) {
    if (message.role === "tool") batch.push(message);
    else {
      flush();
      ordered.push(message);
    }
  }
  flush();
  return ordered;
}

/** How the session stands: what it waits for, what is pending, how the last turn ended. */
function standing(session: Session): readonly string[] {
  if (!session.turn) return [];
  const asked = [...session.calls.open.values()].filter(({ status }) => status === "awaiting_approval");
  const pending = session.inputs.map(({ input, held }) => {
    const said = input.type === "prompt" || input.type === "steer" ? ` ${textOf(input.parts)}` : "";
    return line(held ? "held" : "pending", `${input.type}${said}`);
  });
  return [
    ...asked.map((call) => line("asks", `${call.tool} ${JSON.stringify(call.args)} (${call.askReason ?? ""})`)),
    ...session.questions.map(({ question }) => line("asks", question)),
    ...pending,
    line("outcome", outcomeText(standingOf(session))),
  ];
}

function outcomeText(outcome: Outcome | undefined): string {
  switch (outcome?.status) {
    case undefined:
      return "(still at work)";
    case "budget":
      return `budget ${outcome.budget} ${outcome.used} of ${outcome.limit}`;
    case "blocked":
    case "refused":
      return `${outcome.status}: ${outcome.reason}`;
    case "failed":
      return `failed(${outcome.error.kind}): ${outcome.error.message}`;
    case "completed":
    case "cancelled":
    case "awaiting_approval":
    case "awaiting_answer":
    case "awaiting_retry":
      return outcome.status;
    default:
      return outcome satisfies never;
  }
}

/** What differs from run to run is named by what it is. */
export function scrub(
  text: string,
  folders: { readonly workspace: string; readonly home?: string | undefined },
): string {
  const { workspace, home = workspace } = folders;
  return text
    .replaceAll(workspace, "<workspace>")
    .replaceAll(home, "<home>")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
    .replace(CONNECTION_LOST, "(<connection lost>)")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
    .replace(/artifact:[A-Za-z0-9_-]+/g, "artifact:<id>")
    .replace(/process \d+|kill -- -\d+/g, (words) => words.replace(/\d+/, "<pid>"));
}

/** By which of its names a broken connection is reported depends on the moment. */
const CONNECTION_LOST = /\((UND_ERR_SOCKET|ECONNRESET|EPIPE): [^)]*\)/g;
