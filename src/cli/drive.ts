/** Drives a session from a command: says what is to be said, runs or follows, and reports once at the end. */
import type { App } from "../app.ts";
import { InputError } from "../core/error.ts";
import type { InputId } from "../core/ids.ts";
import type { Configuration } from "../core/input.ts";
import { textOf } from "../core/message.ts";
import type { Session } from "../core/session.ts";
import type { Holder } from "../core/store.ts";
import { reportOf } from "../report.ts";
import { follow } from "./follow.ts";
import type { EndedTurn, Follower } from "./follow.ts";
import { goOnLines } from "./go-on.ts";
import type { Interrupts } from "./interrupts.ts";
import { exitCodeOf } from "./render-outcome.ts";
import type { Ending } from "./run-view.ts";
import { viewFor } from "./view-for.ts";
import type { RunFlags } from "./run-flags.ts";

export interface Driving {
  readonly session: Session;
  readonly flags: RunFlags;
  readonly interrupts: Interrupts;
  readonly say: { readonly type: "prompt"; readonly text: string } | { readonly type: "continue" } | undefined;
  readonly settings?: Configuration | undefined;
}

/** How often a session that another process holds is asked for again. */
const ASK_AGAIN_MS = 200;

/** Resolves with the exit code. */
export async function drive(app: App, driving: Driving): Promise<number> {
  const { flags, interrupts, session } = driving;
  const { id } = session.session;
  const view = viewFor(flags.output, "stderr");
  const follower = await follow(app.sessions, id, {
    entry: (entry) => view.entry(entry),
    event: (event) => view.event(event),
  });
  try {
    view.start(follower.session);
    interrupts.leaveWith(() => reportOf(follower.now(), { status: "cancelled" }));
    const ending = await endingOf(app, driving, follower);
    await follower.caughtUp();
    interrupts.leaveWith(null);
    view.end(ending, goOnLines({ id, outcome: ending.outcome, pending: ending.pending, flags }));
    return exitCodeOf(ending.outcome, interrupts.by());
  } finally {
    follower.stop();
  }
}

async function endingOf(app: App, driving: Driving, follower: Follower): Promise<Ending> {
  const { flags, session } = driving;
  const holder = flags.wait ? undefined : await app.sessions.holder(session.session.id);
  if (holder) return heldEnding(app, session, holder);
  const input = await say(app, driving);
  return flags.wait ? runOrFollow(app, driving, { follower, input }) : runNow(app, driving, input);
}

/** Appends what the command line says, and returns the id of what starts a turn. */
async function say(app: App, { session, settings, say: what }: Driving): Promise<InputId | undefined> {
  const { id } = session.session;
  const author = "user";
  if (settings) await app.sessions.send(id, { type: "configure", author, set: settings });
  if (what === undefined) return undefined;
  const { inputId } = await app.sessions.send(
    id,
    what.type === "continue"
      ? { type: "continue", author }
      : { type: "prompt", author, parts: [{ type: "text", text: what.text }] },
  );
  return inputId;
}

/** Another process may have taken the session in the meantime: then what was said is taken back. */
async function runNow(app: App, { session, interrupts }: Driving, input: InputId | undefined): Promise<Ending> {
  const { id } = session.session;
  const report = await app.sessions.run(id, { wait: false, signal: interrupts.signal });
  if (report.type === "outcome") return report;
  if (input !== undefined) await withdrawn(app, session, input);
  return heldEnding(app, session, report.holder);
}

interface Following {
  readonly follower: Follower;
  readonly input: InputId | undefined;
}

/** Behind another owner, the turn counts that this command's own prompt started, whoever ran it. */
async function runOrFollow(app: App, driving: Driving, { follower, input }: Following): Promise<Ending> {
  const { session, interrupts } = driving;
  let cancelled = false;
  for (let behind = false; ; behind = true) {
    const report = await app.sessions.run(session.session.id, { wait: false, signal: interrupts.signal });
    if (report.type === "outcome") {
      await follower.caughtUp();
      const mine = behind && input !== undefined ? follower.endOf(input) : undefined;
      return mine ? endingOfTurn(app, session, mine) : report;
    }
    const mine = input === undefined ? undefined : follower.endOf(input);
    if (mine) return endingOfTurn(app, session, mine);
    if (interrupts.signal.aborted && !cancelled) {
      if (await left(app, session, { follower, input })) return cancelledEnding(app, session);
      cancelled = true;
    }
    await follower.news(ASK_AGAIN_MS);
  }
}

/** An interrupt of a follower takes back what it said; a turn that it started is cancelled, and followed to its end. */
async function left(app: App, session: Session, { follower, input }: Following): Promise<boolean> {
  if (input === undefined) return true;
  const turnId = follower.turnOf(input);
  if (turnId === undefined) return withdrawn(app, session, input);
  await app.sessions.send(session.session.id, { type: "cancel", author: "user", turnId });
  return false;
}

/** False if the input was consumed before it could be taken back. */
async function withdrawn(app: App, session: Session, inputId: InputId): Promise<boolean> {
  try {
    await app.sessions.send(session.session.id, { type: "withdraw", author: "user", inputId });
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

async function endingOfTurn(app: App, { session }: Session, { id, outcome }: EndedTurn): Promise<Ending> {
  const now = await app.sessions.open(session.id);
  const replies = [...now.messages].filter(({ kind, turnId }) => kind === "reply" && turnId === id);
  return { ...reportOf(now, outcome), pending: [], text: textOf(replies.at(-1)?.parts ?? []) };
}

async function cancelledEnding(app: App, { session }: Session): Promise<Ending> {
  const now = await app.sessions.open(session.id);
  return { ...reportOf(now, { status: "cancelled" }), pending: [], text: "" };
}

async function heldEnding(app: App, { session }: Session, { owner }: Holder): Promise<Ending> {
  const now = await app.sessions.open(session.id);
  return { ...reportOf(now, undefined), outcome: { status: "held", owner } };
}
