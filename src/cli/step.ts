/** `dacapo step`: exactly one step of a session, and what it committed. */
import { follow } from "./follow.ts";
import { goOnLines } from "./go-on.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Interrupts } from "./interrupts.ts";
import { withApp } from "./open-app.ts";
import type { AppFlags } from "./open-app.ts";
import type { App } from "../app.ts";
import type { Session } from "../core/session.ts";
import { reportOf } from "../report.ts";
import type { OutputFormat } from "./output.ts";
import { exitCodeOf } from "./render-outcome.ts";
import type { Ending } from "./run-view.ts";
import { modelOf } from "./settings.ts";
import { viewFor } from "./view-for.ts";

export interface StepFlags extends AppFlags {
  readonly commits?: number;
  readonly output: OutputFormat;
}

export async function step(name: string, flags: StepFlags): Promise<number> {
  let workspace = process.cwd();
  const interrupts = listenForInterrupts(flags.output);
  const work = async (app: App): Promise<number> => {
    const session = await app.sessions.open(await app.sessions.find(name));
    ({ workspace } = session.session);
    const { next } = await app.sessions.explain(session.session.id);
    if (next !== null) await app.check(modelOf(session));
    interrupts.started();
    return stepOnce(app, session, { flags, interrupts });
  };
  try {
    return await withApp(flags, work, { workspace: () => workspace });
  } finally {
    interrupts.stop();
  }
}

interface Stepping {
  readonly flags: StepFlags;
  readonly interrupts: Interrupts;
}

async function stepOnce(app: App, session: Session, { flags, interrupts }: Stepping): Promise<number> {
  const { id } = session.session;
  const view = viewFor(flags.output, "stdout");
  const follower = await follow(app.sessions, id, {
    entry: (entry) => view.entry(entry),
    event: (event) => view.event(event),
  });
  try {
    view.start(follower.session);
    interrupts.leaveWith(() => reportOf(follower.now(), { status: "cancelled" }));
    const { commits } = flags;
    const report = await app.sessions.step(id, {
      wait: false,
      signal: interrupts.signal,
      ...(commits !== undefined && { commits }),
    });
    await follower.caughtUp();
    const after = await app.sessions.open(id);
    const ending: Ending =
      report.type === "outcome"
        ? report
        : { ...reportOf(after, undefined), outcome: { status: "held", owner: report.holder.owner } };
    interrupts.leaveWith(null);
    view.end(ending, goOnLines({ id, outcome: ending.outcome, pending: ending.pending, flags }));
    const broke = ending.outcome.status === "failed" && after.turn?.outcome === undefined;
    return follower.commits() > 0 && !broke ? 0 : exitCodeOf(ending.outcome, interrupts.by());
  } finally {
    follower.stop();
  }
}
