/** A conversation on paper: who said what, which calls were made, what came of them. */
import type { Call } from "../core/call.ts";
import type { CallId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";
import type { Part, ResultPart } from "../core/part.ts";
import type { LiveDraft } from "../core/live-draft.ts";
import { standingOf } from "../core/projection.ts";
import { callById } from "../core/session.ts";
import type { Session } from "../core/session.ts";
import type { Palette } from "./colour.ts";
import { callText, resultText } from "./render-call.ts";
import { outcomeText } from "./render-outcome.ts";
import { forEyes, oneLine, plural } from "./render-text.ts";
import { safeText } from "./safe-text.ts";

export interface TranscriptOptions {
  readonly palette: Palette;
  /** Of each result; what is cut says so. */
  readonly resultLines: number;
}

export function transcriptLines(session: Session, options: TranscriptOptions): readonly string[] {
  return [
    ...headLines(session, options.palette),
    ...[...session.messages].flatMap((message) => messageLines(forEyes(message), session, options)),
    ...tailLines(session, options.palette),
  ];
}

/** A call with nothing in it that a terminal obeys, its tool's name on one line. */
function callFor(id: CallId, { calls }: Session): Call | undefined {
  const call = callById(calls, id);
  return call && { ...forEyes(call), tool: oneLine(call.tool, 80) };
}

/** What runs just now, in whatever process: the reply that streams, the end of what running calls print. */
export function liveLines(live: LiveDraft | undefined, session: Session): readonly string[] {
  if (!live) return [];
  const { reply, calls } = forEyes(live);
  return [
    ...(reply?.text ? ["", "streaming just now:", reply.text] : []),
    ...calls.flatMap(({ callId, tail, message }) => [
      "",
      `running just now: ${callFor(callId, session)?.tool ?? callId}${message === undefined ? "" : ` (${oneLine(message, 80)})`}`,
      ...(tail === "" ? [] : [tail.trimEnd()]),
    ]),
  ];
}

function headLines({ session }: Session, { bold, dim }: Palette): readonly string[] {
  return [
    bold(`${oneLine(session.title ?? "untitled", 80)} (session ${session.id})`),
    dim(safeText(`${session.model}, mode ${session.mode}, in ${session.workspace}, since ${session.createdAt}`)),
  ];
}

function tailLines(session: Session, { bold, dim }: Palette): readonly string[] {
  const standing = standingOf(session);
  const waiting = session.inputs.map(({ input, held }) =>
    dim(safeText(`${held ? "held" : "pending"} input ${input.id}: ${input.type}`)),
  );
  return [
    "",
    ...waiting,
    bold(standing ? outcomeText(forEyes(standing)) : session.turn ? "stopped in mid-turn" : "no turn yet"),
  ];
}

function messageLines(message: Message, session: Session, options: TranscriptOptions): readonly string[] {
  const { bold, cyan, dim } = options.palette;
  const { audience, by, createdAt, kind, role, parts } = message;
  const only = audience.user === audience.model ? "" : audience.user ? ", not for the model" : ", for the model only";
  const name = kind === "reply" || kind === "prompt" ? role : `${role} ${kind}`;
  return [
    "",
    `${bold(cyan(name))} ${dim(`by ${by}${only}, ${createdAt}`)}`,
    ...parts.flatMap((part) => partLines(part, session, options)),
  ];
}

function partLines(part: Part, session: Session, options: TranscriptOptions): readonly string[] {
  const { dim, red } = options.palette;
  switch (part.type) {
    case "text":
      return part.text.split("\n");
    case "reasoning":
      return part.text === "" ? [] : part.text.split("\n").map((line) => dim(`  | ${line}`));
    case "file":
      return [dim(oneLine(`[file ${part.name ?? ""} ${part.mediaType}]`, 200))];
    case "call":
      return callLines(callFor(part.callId, session), options.palette);
    case "provider-call":
      return [`-> ${callText(part.tool, JSON.stringify(part.args))} ${dim("(run by the provider)")}`];
    case "result":
      return resultLines(part, session, options);
    case "error":
      return [red(`${part.kind}: ${part.message}`)];
    default:
      return part satisfies never;
  }
}

function callLines(call: Call | undefined, { dim, yellow }: Palette): readonly string[] {
  if (!call) return [];
  const args = call.args ?? call.requested;
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return [`-> ${yellow(call.tool)} ${text} ${dim(`[${call.id}, ${call.status}${decidedBy(call)}]`)}`];
}

function decidedBy({ decision }: Call): string {
  return decision === undefined ? "" : `, ${decision.verdict} by ${decision.by}`;
}

function resultLines(
  part: ResultPart,
  session: Session,
  { palette, resultLines: limit }: TranscriptOptions,
): readonly string[] {
  const call = callFor(part.callId, session);
  const lines = resultText(part).replace(/\n$/, "").split("\n");
  const cut = lines.length - limit;
  return [
    palette.dim(`${call?.tool ?? "call"} [${part.callId}]${part.isError ? ` ${part.errorKind ?? "error"}` : ""}`),
    ...lines.slice(0, limit).map((line) => `  ${line}`),
    ...(cut > 0 ? [palette.dim(`  … ${plural(cut, "more line")}; --full shows them`)] : []),
    ...(part.artifacts ?? []).map((id) => palette.dim(`  the whole output is artifact ${id}`)),
  ];
}
