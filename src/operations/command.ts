/** Runs the slash command that a prompt names; what names none is plain text for the model. */
import { z } from "zod";
import type { EffectOf } from "../core/effect.ts";
import { wordsOf } from "../core/error.ts";
import { TurnId } from "../core/ids.ts";
import type { MessageId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";
import { textOf } from "../core/message.ts";
import type { PromptPart } from "../core/input.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { Command, StepContext } from "../core/operation.ts";
import type { Session, Turn } from "../core/session.ts";
import type { TurnOutcome } from "../core/outcome.ts";
import { endTurn, notice } from "./notice.ts";

const COMMAND = /^\/([A-Za-z0-9][\w-]*)(?:\s+([\s\S]*))?$/;

/** The note: the turn whose command has had its effect, so that it is not run again. */
const Done = z.object({ turnId: TurnId }).readonly();
const VERSION = 1;

const help: Command = {
  name: "help",
  description: "List the commands",
  async run(_args, { commands }) {
    const all = commands.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return { notice: all.map(({ name, description }) => `/${name}: ${description}`).join("\n") };
  },
};

type Write = EffectOf<"message.append" | "note.set" | "turn.end">;

/** What is known before the command ran. `steered`: a steer came after the prompt, and the model has to answer that. */
interface Called {
  readonly command: Command;
  readonly commands: readonly Command[];
  readonly args: string;
  readonly turnId: TurnId;
  readonly steered: boolean;
}

/**
 * Only a prompt is a command, never a steer. A notice ends the turn `completed` (unless a steer came in meanwhile), an
 * expansion goes on to the model, a command that throws ends the turn `failed(internal)`. It runs the commands of every
 * operation of the pipeline; `/help`, which lists them, is its own.
 */
export function command() {
  return defineOperation({
    name: "command",
    reads: ["session", "turn", "messages", "notes"],
    writes: ["message.append", "note.set", "turn.end"],
    durability: "on-barrier",
    commands: [help],
    claim({ turn, messages, notes }, _now, commands) {
      if (turn?.phase !== "reply" || turn.promptId === undefined) return pass("no prompt waits for its first reply");
      if (turn.lastReply) return pass("the model has replied in this turn");
      const called = COMMAND.exec(textOf(messages.get(turn.promptId)?.parts ?? []).trimEnd());
      if (!called) return pass("the prompt is no command");
      const [, name = "", args = ""] = called;
      const found = commands.find((item) => item.name === name);
      if (!found) return pass(`there is no command "/${name}": plain text`);
      if (isDone(notes, turn)) return pass(`the command "/${name}" has run`);
      const steered = isSteer(messages.at(-1), turn);
      const data: Called = { command: found, commands, args, turnId: turn.id, steered };
      return claim(data, `the prompt calls "/${name}"`);
    },
    async *run(called, ctx, { session }) {
      const effects = await effectsOf(called, session.workspace, ctx);
      // A cancelled command has changed nothing; interrupt ends its turn.
      if (!ctx.signal.aborted) yield effects;
    },
  });
}

function isDone(notes: Session["notes"], turn: Turn): boolean {
  const note = notes["command"];
  const done = note?.version === VERSION ? Done.safeParse(note.data) : undefined;
  return done?.success === true && done.data.turnId === turn.id;
}

function isSteer(message: Message | undefined, turn: Turn): boolean {
  return message?.kind === "steer" && message.turnId === turn.id;
}

async function effectsOf(called: Called, workspace: string, ctx: StepContext): Promise<readonly Write[]> {
  const { command: found, commands, args } = called;
  try {
    const came = await found.run(args, { workspace, commands });
    if ("expand" in came) return [context(came.expand, ctx), done(called)];
    return [notice(ctx, came.notice), called.steered ? done(called) : endTurn({ status: "completed" })];
  } catch (error) {
    const message = ctx.clean(`The command "/${found.name}" failed: ${wordsOf(error)}`);
    const outcome: TurnOutcome = { status: "failed", error: { kind: "internal", message } };
    return [notice(ctx, message), endTurn(outcome)];
  }
}

function done({ turnId }: Called): EffectOf<"note.set"> {
  return { type: "note.set", operation: "command", version: VERSION, data: { turnId } };
}

function context(expansion: readonly PromptPart[], ctx: StepContext): EffectOf<"message.append"> {
  const id: MessageId = ctx.newId();
  const parts = expansion.map((part) => (part.type === "text" ? { ...part, text: ctx.clean(part.text) } : part));
  return { type: "message.append", message: { id, kind: "context", parts } };
}
