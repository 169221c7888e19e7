/** The exact command lines with which a person goes on, as they can be copied into a shell. */
import { resolve } from "node:path";
import type { SessionId } from "../core/ids.ts";
import type { Pending } from "../report.ts";
import type { AppFlags } from "./open-app.ts";
import { askText } from "./render-call.ts";
import type { AnyOutcome } from "./render-outcome.ts";
import { oneLine } from "./render-text.ts";
import { commandLine } from "./shell.ts";

/** A session, and the flags under which it was opened: a command that goes on needs them again. */
export interface Standing {
  readonly id: SessionId;
  readonly outcome: AnyOutcome;
  readonly pending: readonly Pending[];
  readonly flags: AppFlags;
}

export function goOnLines({ id, outcome, pending, flags }: Standing): readonly string[] {
  const run = (...words: readonly string[]): string => commandLine(["run", "-s", id, ...words, ...runFlags(flags)]);
  switch (outcome.status) {
    case "awaiting_approval":
    case "awaiting_answer":
      return [...pending.flatMap((item) => sendLines(item, flags)), "then go on with", `  ${run()}`];
    case "awaiting_retry":
    case "failed":
    case "blocked":
    case "cancelled":
      return ["go on with", `  ${run()}`];
    case "budget":
      return ["allow more and go on with", `  ${run("--max-turns", String(outcome.limit * 2))}`];
    case "completed":
    case "refused":
    case "open":
    case "held":
      return [];
    default:
      return outcome satisfies never;
  }
}

function sendLines(pending: Pending, flags: AppFlags): readonly string[] {
  const send = (...words: readonly string[]): string =>
    `  ${commandLine(["send", pending.session, ...words, ...databaseFlags(flags)])}`;
  switch (pending.type) {
    case "approval":
      return [
        `decide about ${askText(pending.tool, pending.args)} (${oneLine(pending.reason, 80)}) with one of`,
        send("--approve", pending.callId),
        send("--deny", pending.callId, "--reason", "why not"),
      ];
    case "question":
      return [
        `answer the question ${JSON.stringify(oneLine(pending.question, 200))} with`,
        send("--answer", pending.questionId, '"your answer, as JSON"'),
      ];
    default:
      return pending satisfies never;
  }
}

export function databaseFlags({ db }: AppFlags): readonly string[] {
  return db === undefined ? [] : ["--db", resolve(db)];
}

function runFlags(flags: AppFlags): readonly string[] {
  return [
    ...databaseFlags(flags),
    ...(flags.baseUrl === undefined ? [] : ["--base-url", flags.baseUrl]),
    ...(flags.mcp === undefined ? [] : ["--mcp", resolve(flags.mcp)]),
    ...(flags.durability === undefined ? [] : ["--durability", flags.durability]),
  ];
}
