/** Runs the slash command that a prompt names; what names none is plain text for the model. */
import { z } from "zod";
import type { EffectOf } from "../core/effect.ts";
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

type Write = EffectOf<"message.append" | "note.set" | "turn.end">;

/** What is known before the command ran. `steered`: a steer came after the prompt, and the model has to answer that. */
interface Called {
  readonly name: string;
  readonly args: string;
  readonly turnId: TurnId;
  readonly steered: boolean;
}

/**
 * Only a prompt is a command, never a steer. A notice ends the turn `completed` (unless a steer came in meanwhile), an
 * expansion goes on to the model, a command that throws ends the turn `failed(internal)`. `commands` are those of the
 * other operations; `/help`, which lists them all, is its own.
 */
export function command(commands: readonly Command[]) {
  const own = helpCommand(commands);
  const known = new Map([own, ...commands].map((item) => [item.name, item]));
  return defineOperation({
    name: "command",
    reads: ["session", "turn", "messages", "notes"],
    writes: ["message.append", "note.set", "turn.end"],
    durability: "on-barrier",
    commands: [own],
    claim({ turn, messages, notes }) {
      if (turn?.phase !== "reply" || turn.promptId === undefined) return pass("no prompt waits for its first reply");
      if (turn.lastReply) return pass("the model has replied in this turn");
      const called = COMMAND.exec(textOf(messages.get(turn.promptId)?.parts ?? []).trimEnd());
      if (!called) return pass("the prompt is no command");
      const [, name = "", args = ""] = called;
      if (!known.has(name)) return pass(`there is no command "/${name}": plain text`);
      if (isDone(notes, turn)) return pass(`the command "/${name}" has run`);
      const data: Called = { name, args, turnId: turn.id, steered: isSteer(messages.at(-1), turn) };
      return claim(data, `the prompt calls "/${name}"`);
    },
    async *run(called, ctx, { session }) {
      const found = known.get(called.name);
      if (!found) return;
      const effects = await outcomeOf(found, called, { ctx, workspace: session.workspace });
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

interface Where {
  readonly ctx: StepContext;
  readonly workspace: string;
}

async function outcomeOf(found: Command, called: Called, { ctx, workspace }: Where): Promise<readonly Write[]> {
  try {
    const came = await found.run(called.args, workspace);
    if ("expand" in came) return [context(came.expand, ctx), done(called)];
    return [notice(ctx, came.notice), called.steered ? done(called) : endTurn({ status: "completed" })];
  } catch (error) {
    const message = ctx.clean(
      `The command "/${called.name}" failed: ${error instanceof Error ? error.message : String(error)}`,
    );
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

function helpCommand(others: readonly Command[]): Command {
  const own: Command = {
    name: "help",
    description: "List the commands",
    async run() {
      const all = [own, ...others].toSorted((left, right) => (left.name < right.name ? -1 : 1));
      return { notice: all.map(({ name, description }) => `/${name}: ${description}`).join("\n") };
    },
  };
  return own;
}
