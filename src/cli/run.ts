/** `dacapo run`: sends a prompt, or goes on from whatever a session ended with, until the machine rests. */
import type { App } from "../app.ts";
import { UsageError } from "../core/error.ts";
import type { Session } from "../core/session.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./drive.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Interrupts } from "./interrupts.ts";
import { withApp } from "./open-app.ts";
import { givenText, setting, workspaceAt } from "./place.ts";
import type { RunFlags } from "./run-flags.ts";
import { modelOf, settingsOf } from "./settings.ts";

/** Model calls in a turn, unless somebody says otherwise. */
const MODEL_CALLS = 100;

/** Resolves with the exit code. */
export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  const interrupts = listenForInterrupts(flags.output);
  try {
    const text = prompt === undefined ? undefined : await givenText(prompt, "prompt");
    if (flags.session !== undefined || flags.continue === true) return await runExisting(text, flags, interrupts);
    if (text === undefined)
      throw new UsageError("There is nothing to run: give a PROMPT, or -s ID to go on with a session.");
    return await runNew(text, flags, interrupts);
  } finally {
    interrupts.stop();
  }
}

async function runNew(text: string, flags: RunFlags, interrupts: Interrupts): Promise<number> {
  const model = flags.model ?? setting("DACAPO_MODEL");
  if (model === undefined)
    throw new UsageError(
      "No model was chosen: give --model PROVIDER/NAME or set DACAPO_MODEL; `dacapo demo` shows everything without one.",
    );
  const workspace = await workspaceAt(flags.cwd);
  const work = async (app: App): Promise<number> => {
    interrupts.started();
    const session = await app.sessions.create({
      workspace,
      model,
      mode: flags.mode ?? "ask",
      limits: { inferences: flags.maxTurns ?? MODEL_CALLS },
      ...(flags.title !== undefined && { title: flags.title }),
    });
    return drive(app, { session, flags, interrupts, say: { type: "prompt", text } });
  };
  return withApp(flags, work, { model, make: true, workspace: () => workspace });
}

async function runExisting(text: string | undefined, flags: RunFlags, interrupts: Interrupts): Promise<number> {
  let workspace = process.cwd();
  const work = async (app: App): Promise<number> => {
    const session = await sessionFor(app, flags);
    ({ workspace } = session.session);
    const settings = settingsOf(flags, session);
    const say = text === undefined ? goingOn(session) : ({ type: "prompt", text } as const);
    if (say !== undefined || settings !== undefined || !(await isDone(app, session)))
      await app.check(settings?.model ?? modelOf(session));
    interrupts.started();
    return drive(app, { session, flags, interrupts, say, settings });
  };
  return withApp(flags, work, { workspace: () => workspace });
}

async function sessionFor(app: App, { session: name, continue: newest, cwd }: RunFlags): Promise<Session> {
  if (newest === true && name !== undefined)
    throw new UsageError("-c goes on with the newest session of this folder, and -s names one: give only one of them.");
  const folder = newest === true || cwd !== undefined ? await workspaceAt(cwd) : undefined;
  const id = await app.sessions.find(name ?? "latest", newest === true ? folder : undefined);
  const session = await app.sessions.open(id);
  if (folder !== undefined && folder !== session.session.workspace)
    throw new UsageError(`Session ${id} works in ${session.session.workspace}; --cwd cannot move it to ${folder}.`);
  return session;
}

/** Without a prompt, a turn that ended short is continued, unless something is queued that starts one. */
function goingOn({ session, turn, inputs }: Session): Driving["say"] {
  const queued = inputs.some(({ held, input }) => !held && (input.type === "prompt" || input.type === "continue"));
  if (queued) return undefined;
  if (turn === undefined) throw new UsageError(`Session ${session.id} has no turn yet: give a PROMPT.`);
  switch (turn.outcome?.status) {
    case "failed":
    case "budget":
    case "blocked":
    case "cancelled":
      return { type: "continue" };
    case "completed":
    case "refused":
    case undefined:
      return undefined;
    default:
      return turn.outcome satisfies never;
  }
}

/** Whether there is nothing to do but to report again, for which no model is needed. */
async function isDone(app: App, session: Session): Promise<boolean> {
  const { next, outcome } = await app.sessions.explain(session.session.id);
  return next === null && outcome?.status !== "awaiting_retry";
}
