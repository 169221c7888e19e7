/** `dacapo send`: appends one input to a session, from any process, and exits. */
import type { App } from "../app.ts";
import { InputError, UsageError } from "../core/error.ts";
import { CallId, InputId, QuestionId } from "../core/ids.ts";
import { Configuration, Mode } from "../core/input.ts";
import { JsonObject, JsonValue } from "../core/json.ts";
import type { Session } from "../core/session.ts";
import type { NewInput } from "../sessions.ts";
import { databaseFlags } from "./go-on.ts";
import { withApp } from "./open-app.ts";
import type { AppFlags } from "./open-app.ts";
import { countIn } from "./options.ts";
import { printJson, printLine } from "./output.ts";
import { givenText } from "./place.ts";
import { commandLine } from "./shell.ts";

export interface SendFlags extends AppFlags {
  readonly id?: string;
  readonly json?: boolean;
  readonly prompt?: string;
  readonly steer?: string;
  readonly approve?: string;
  readonly args?: string;
  readonly scope?: "once" | "session";
  readonly deny?: string;
  readonly reason?: string;
  readonly answer?: readonly string[];
  readonly cancel?: boolean;
  readonly continue?: boolean;
  readonly withdraw?: string;
  readonly set?: readonly string[];
}

export async function send(name: string, flags: SendFlags): Promise<number> {
  const own = flags.id === undefined ? {} : { id: idFrom(InputId, flags.id, "an input's id") };
  const input = await inputFrom(flags);
  return withApp(flags, async (app: App) => {
    const id = await app.sessions.find(name);
    const whole = { ...withWholeCallId(input, await app.sessions.open(id)), ...own };
    const { status, seq, inputId } = await app.sessions.send(id, whole).catch((error: unknown) => {
      throw isLost(error) ? withNextMove(error, commandLine(["sessions", "show", id, ...databaseFlags(flags)])) : error;
    });
    if (flags.json === true) printJson({ session: id, status, seq, inputId });
    else printLine(`${status} ${seq} ${inputId}`);
    return 0;
  });
}

function isLost(error: unknown): error is InputError {
  return error instanceof InputError && error.reason === "conflict";
}

function withNextMove({ reason, message, winner }: InputError, show: string): InputError {
  return new InputError(reason, `${message}; see what came of it with\n  ${show}`, winner);
}

const WAYS = ["prompt", "steer", "approve", "deny", "answer", "cancel", "continue", "withdraw", "set"] as const;
type Way = (typeof WAYS)[number];

async function inputFrom(flags: SendFlags): Promise<NewInput> {
  const [way, ...others] = WAYS.filter((each) => flags[each] !== undefined);
  if (way === undefined || others.length > 0) {
    const found = way === undefined ? "none" : [way, ...others].map((each) => `--${each}`).join(" and ");
    throw new UsageError(
      `Say one thing at a time: one of ${WAYS.map((each) => `--${each}`).join(", ")}; found ${found}.`,
    );
  }
  refuseStray(way, flags);
  return inputOf(way, flags);
}

function refuseStray(way: Way, { args, scope, reason }: SendFlags): void {
  if (way !== "approve" && (args !== undefined || scope !== undefined))
    throw new UsageError("--args and --scope belong to --approve.");
  if (way !== "deny" && reason !== undefined) throw new UsageError("--reason belongs to --deny.");
}

async function inputOf(way: Way, flags: SendFlags): Promise<NewInput> {
  const author = "user";
  switch (way) {
    case "prompt":
    case "steer":
      return { type: way, author, parts: [{ type: "text", text: await givenText(flags[way] ?? "", way) }] };
    case "approve":
      return {
        type: "decision",
        author,
        callId: idFrom(CallId, flags.approve, "a call's id"),
        verdict: "approve",
        ...(flags.args !== undefined && { args: jsonFrom(JsonObject, flags.args, "--args") }),
        ...(flags.scope !== undefined && { scope: flags.scope }),
      };
    case "deny":
      return {
        type: "decision",
        author,
        callId: idFrom(CallId, flags.deny, "a call's id"),
        verdict: "deny",
        ...(flags.reason !== undefined && { reason: flags.reason }),
      };
    case "answer":
      return { type: "answer", author, ...answerFrom(flags.answer ?? []) };
    case "cancel":
    case "continue":
      return { type: way, author };
    case "withdraw":
      return { type: "withdraw", author, inputId: idFrom(InputId, flags.withdraw, "an input's id") };
    case "set":
      return { type: "configure", author, set: await settingsFrom(flags.set ?? []) };
    default:
      return way satisfies never;
  }
}

/** What zod makes of a value: both kinds of result, without its types. */
interface Schema<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

function idFrom<T>(schema: Schema<T>, text: string | undefined, what: string): T {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`"${text}" is not ${what}: an id is 1 to 40 of A-Z a-z 0-9 _ -.`);
}

function jsonFrom<T>(schema: Schema<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} takes JSON, and ${JSON.stringify(text)} is none: ${String(error)}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${what} takes a JSON object, and ${text} is none.`);
}

function answerFrom(words: readonly string[]): { readonly questionId: QuestionId; readonly value: JsonValue } {
  const [question, value, ...others] = words;
  if (question === undefined || value === undefined || others.length > 0)
    throw new UsageError("--answer takes a question's id and the answer as JSON: --answer QUESTION '\"yes\"'.");
  return {
    questionId: idFrom(QuestionId, question, "a question's id"),
    value: jsonFrom(JsonValue, value, "--answer"),
  };
}

async function settingsFrom(pairs: readonly string[]): Promise<Configuration> {
  const set = pairs.reduce<Configuration>((before, pair) => ({ ...before, ...settingFrom(pair) }), {});
  if (set.model !== undefined) {
    const { checkModelId } = await import("../app.ts");
    await checkModelId(set.model);
  }
  return set;
}

function settingFrom(pair: string): Configuration {
  const at = pair.indexOf("=");
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (at > 0 && value !== "") {
    if (key === "model" || key === "title") return { [key]: value };
    if (key === "mode") return { mode: modeFrom(value) };
    if (key === "max-turns") return { limits: { inferences: countFrom(value) } };
  }
  throw new UsageError(
    `--set takes KEY=VALUE, where KEY is model, mode, title or max-turns; found ${JSON.stringify(pair)}.`,
  );
}

function modeFrom(value: string): Mode {
  const mode = Mode.safeParse(value);
  if (mode.success) return mode.data;
  throw new UsageError(`"${value}" is no mode: the modes are ${Mode.options.join(", ")}.`);
}

function countFrom(value: string): number {
  const count = countIn(value);
  if (count !== undefined) return count;
  throw new UsageError(`max-turns is a whole number of at least 1, and "${value}" is none.`);
}

/** A call may be named by a unique beginning of its id. */
function withWholeCallId(input: NewInput, { calls }: Session): NewInput {
  if (input.type !== "decision") return input;
  const known = [...calls.open.keys(), ...[...calls.settled].map(({ id }) => id)];
  if (known.includes(input.callId)) return input;
  const [only, ...others] = known.filter((id) => id.startsWith(input.callId));
  return only === undefined || others.length > 0 ? input : { ...input, callId: only };
}
