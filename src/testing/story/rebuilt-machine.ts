/** A new process for every step: whatever an operation remembers outside the session is gone at the next one. */
import type { Entry } from "../../core/entry.ts";
import type { Report } from "../../report.ts";
import type { Explained } from "../../sessions.ts";
import { reported } from "./machine.ts";
import type { Machine } from "./machine.ts";
import { startProcess } from "./process.ts";
import type { ProcessRecord, StoryProcess } from "./process.ts";
import type { World } from "./world.ts";

/** Also asks before every step which operation will act, and complains if another one does. */
export function rebuiltMachine(world: World): Machine {
  const processes: ProcessRecord[] = [];
  const complaints: string[] = [];
  const shared = createShared(async () => {
    const process = await startProcess(world);
    processes.push(process.record);
    return process;
  });
  let sleeping: AbortController | undefined;

  /** One step; undefined if the machine goes on. */
  const step = async (signal: AbortSignal): Promise<Report | undefined> => {
    const waited = await shared.use(async (process) => {
      const { sessions } = process.app;
      const told = await sessions.explain(world.sessionId);
      const report = reported(await process.step(signal));
      const entries = await process.app.store.entries(world.sessionId, told.seq, 1_000);
      complaints.push(...misexplained(told, entries));
      if (entries.length > 0) return undefined;
      // Nothing was written: the session rests, or the run failed and the turn is left for another one.
      const waits = told.next === null && told.outcome?.status === "awaiting_retry";
      return { report, until: waits ? told.outcome.until : undefined };
    });
    if (waited?.until === undefined) return waited?.report;
    const awake = (sleeping = new AbortController());
    const wake = (): void => awake.abort();
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
    await world.clock.sleep(waited.until - world.clock.now(), awake.signal);
    signal.removeEventListener("abort", wake);
    sleeping = undefined;
    return undefined;
  };

  return {
    processes,
    complaints,
    async run(signal) {
      for (let heard = signal; ;) {
        const report = await step(heard);
        if (report) return report;
        // An abort is one cancel, whoever takes the next step.
        if (heard.aborted) heard = new AbortController().signal;
      }
    },
    async client(act) {
      const done = await shared.use((process) => act(process.app.sessions));
      sleeping?.abort();
      return done;
    },
    close: () => shared.idle(),
  };
}

function misexplained({ next, seq }: Explained, entries: readonly Entry[]): readonly string[] {
  const acted = entries.find((entry) => entry.type === "commit");
  if (!acted || acted.type !== "commit" || acted.base !== seq || acted.operation === next) return [];
  return [`explain said at seq ${seq} that ${next ?? "nothing"} would act, and ${acted.operation} did`];
}

/** A process that lives for as long as somebody uses it. */
function createShared(start: () => Promise<StoryProcess>) {
  let users = 0;
  let current: Promise<StoryProcess> | undefined;
  let closing: Promise<unknown> = Promise.resolve();
  return {
    async use<T>(act: (process: StoryProcess) => Promise<T>): Promise<T> {
      users += 1;
      current ??= start();
      const using = current;
      try {
        return await act(await using);
      } finally {
        users -= 1;
        if (users === 0) {
          current = undefined;
          closing = using.then((process) => process.close());
          await closing;
        }
      }
    },
    idle: async () => void (await closing),
  };
}
