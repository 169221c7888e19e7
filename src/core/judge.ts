/** Decides, from the session alone, whether an input may be appended. */
import { callById } from "./session.ts";
import type { Session } from "./session.ts";
import { isFinal } from "./call.ts";
import { InputError } from "./error.ts";
import type { Input, InputKind, InputOf } from "./input.ts";
import { canonicalJson } from "./json.ts";

/** The input as it is stored: a decision names the arguments it is about. Throws InputError if its target is unknown. */
export function completed(session: Session, input: Input): Input {
  if (input.type !== "decision" || input.hash !== undefined) return input;
  const call = callById(session.calls, input.callId);
  if (!call) throw unknownTarget(session, "call", input.callId);
  return call.hash === undefined ? input : { ...input, hash: call.hash };
}

/** Whether two inputs about one target say the same; their ids and authors may differ. */
export function saysTheSame(first: Input, second: Input): boolean {
  return sayings(first) === sayings(second);
}

function sayings(input: Input): string {
  const { id: _id, author: _author, ...said } = input;
  return canonicalJson(said.type === "decision" ? { scope: "once", ...said } : said);
}

/** Throws InputError if the target of an input is unknown or settled. */
export function judge(session: Session, input: Input): void {
  switch (input.type) {
    case "decision":
      judgeDecision(session, input);
      return;
    case "answer":
      if (!session.questions.some((question) => question.id === input.questionId)) {
        throw unknownTarget(session, "open question", input.questionId);
      }
      return;
    case "withdraw":
      judgeWithdrawal(session, input);
      return;
    case "prompt":
    case "steer":
    case "cancel":
    case "continue":
    case "configure":
      return;
    default:
      input satisfies never;
  }
}

const WITHDRAWABLE: ReadonlySet<InputKind> = new Set(["prompt", "steer", "continue"]);

/**
 * Only what waits for its turn can be withdrawn. A cancel stands above every other input; and nobody else may decide what was
 * decided, so that a decision without effect would leave its call waiting for ever.
 */
function judgeWithdrawal(session: Session, { inputId }: InputOf<"withdraw">): void {
  const target = session.inputs.find(({ input }) => input.id === inputId)?.input;
  if (!target) {
    throw new InputError("settled-target", `input ${inputId} is not pending: it was consumed, or never sent`);
  }
  if (!WITHDRAWABLE.has(target.type)) {
    throw new InputError("settled-target", `input ${inputId} cannot be withdrawn: the ${target.type} counts as given`);
  }
}

function judgeDecision(session: Session, input: InputOf<"decision">): void {
  const call = callById(session.calls, input.callId);
  if (!call) throw unknownTarget(session, "call", input.callId);
  if (call.status !== "awaiting_approval") {
    const how = isFinal(call.status) ? "settled" : "not waiting for approval";
    throw new InputError("settled-target", `call ${call.id} is ${how}: it is ${call.status}`);
  }
  if (input.hash !== call.hash) {
    throw new InputError(
      "settled-target",
      `call ${call.id} now has other arguments than those decided about; look again`,
    );
  }
}

function unknownTarget(session: Session, what: string, id: string): InputError {
  return new InputError("unknown-target", `session ${session.session.id} has no ${what} ${id}`);
}
