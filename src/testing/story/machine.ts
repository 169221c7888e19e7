/** How a mode runs the session of a story: in one process, or in many. */
import type { Report } from "../../report.ts";
import type { RunReport, Sessions } from "../../sessions.ts";
import type { Store } from "../../core/store.ts";
import { openSqliteStore } from "../../store/sqlite/index.ts";
import { mortalStore } from "./mortal-store.ts";
import { startProcess } from "./process.ts";
import type { ProcessRecord, StoryProcess } from "./process.ts";
import { openReopeningStore } from "./reopening-store.ts";
import type { World } from "./world.ts";

export interface Machine {
  readonly processes: readonly ProcessRecord[];
  /** Runs the session until it rests. Aborting the signal is a cancel by whoever runs it. */
  run(signal: AbortSignal): Promise<Report>;
  /** Lets a client act, in the process that runs now if there is one. */
  client<T>(act: (sessions: Sessions) => Promise<T>): Promise<T>;
  /** What went wrong that only the machine can see. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** One process for the whole story. `onCommit` is called with each commit. */
export async function straightMachine(world: World, onCommit: () => void): Promise<Machine> {
  const process = await startProcess(world, async (options) =>
    mortalStore(await openSqliteStore(options), { onCommit }),
  );
  return lasting(process);
}

/** One process whose store is reopened after every commit. */
export async function reopenedMachine(world: World): Promise<Machine> {
  const reopening = (options: Parameters<typeof openSqliteStore>[0]): Promise<Store> =>
    openReopeningStore(() => openSqliteStore(options));
  return lasting(await startProcess(world, reopening));
}

function lasting(process: StoryProcess): Machine {
  return {
    processes: [process.record],
    complaints: [],
    run: async (signal) => reported(await process.run(signal)),
    client: (act) => act(process.app.sessions),
    close: () => process.close(),
  };
}

/** The report of a run that nobody else can have held. */
export function reported(report: RunReport): Report {
  if (report.type === "held") throw new Error(`the session of the story is held by process ${report.holder.owner.pid}`);
  return report;
}
