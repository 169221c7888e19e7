/** One process of a story: an app opened from the path, and a record of everything that it told. */
import type { App, AppOptions } from "../../app.ts";
import type { LiveEvent } from "../../core/event.ts";
import type { Report } from "../../report.ts";
import type { RunReport } from "../../sessions.ts";
import type { World } from "./world.ts";

/** What a process told. `runs` counts the runs that it was asked for and that came to an end. */
export interface ProcessRecord {
  readonly events: readonly LiveEvent[];
  readonly reports: readonly Report[];
  readonly runs: number;
  /** It was killed: its last run has no end, and nobody hears what it tells. */
  readonly killed: boolean;
}

export interface StoryProcess {
  readonly app: App;
  readonly record: ProcessRecord;
  run(signal: AbortSignal): Promise<RunReport>;
  step(signal: AbortSignal): Promise<RunReport>;
  /** Any other run of the session, so that its report is expected. */
  counted(running: Promise<RunReport>): Promise<RunReport>;
  /** From now on nobody hears it. */
  kill(): void;
  close(): Promise<void>;
}

export async function startProcess(world: World, openStore?: AppOptions["openStore"]): Promise<StoryProcess> {
  const app = await world.openApp(openStore);
  const record = { events: [] as LiveEvent[], reports: [] as Report[], runs: 0, killed: false };
  const subscription = await app.sessions.subscribe(world.sessionId, {
    event(event) {
      if (record.killed) return;
      record.events.push(event);
      world.told.tell(event);
    },
    report: (report) => void (record.killed || record.reports.push(report)),
  });
  const counted = async (running: Promise<RunReport>): Promise<RunReport> => {
    const report = await running;
    if (!record.killed) record.runs += 1;
    return report;
  };
  return {
    app,
    record,
    run: (signal) => counted(app.sessions.run(world.sessionId, { signal })),
    step: (signal) => counted(app.sessions.step(world.sessionId, { signal })),
    counted,
    kill() {
      record.killed = true;
    },
    async close() {
      subscription.stop();
      await app.close();
    },
  };
}
