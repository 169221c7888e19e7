/** A process that is killed once at a chosen commit; a new one, under a new lease, goes on from what is stored. */
import type { CallId } from "../../core/ids.ts";
import type { Report } from "../../report.ts";
import { openSqliteStore } from "../../store/sqlite/index.ts";
import { reported } from "./machine.ts";
import type { Machine } from "./machine.ts";
import { KilledError, mortalStore } from "./mortal-store.ts";
import type { CutPoint } from "./mortal-store.ts";
import { startProcess } from "./process.ts";
import type { ProcessRecord, StoryProcess } from "./process.ts";
import type { World } from "./world.ts";

/** What the kill left behind. */
export interface Cut extends CutPoint {
  /** The calls whose runner died with the process: what came of them, nobody knows. */
  readonly calls: readonly CallId[];
  /** Numbers of the model requests whose answers were lost. */
  readonly requests: readonly number[];
}

export interface KilledMachine extends Machine {
  /** Undefined as long as nobody was killed. */
  cut(): Cut | undefined;
}

export async function killedMachine(world: World, point: CutPoint): Promise<KilledMachine> {
  const processes: ProcessRecord[] = [];
  let cut: Cut | undefined;
  const dying = await startDying(world, point, (left) => {
    cut = left;
  });
  processes.push(dying.record);

  let heir: Promise<StoryProcess> | undefined;
  const resurrect = async (): Promise<StoryProcess> => {
    const process = await startProcess(world);
    processes.push(process.record);
    const session = await process.app.sessions.open(world.sessionId);
    const lost = [...session.calls.open.values()].filter(({ status }) => status === "dispatched");
    if (cut) cut = { ...cut, calls: lost.map(({ id }) => id) };
    return process;
  };
  const living = async (): Promise<StoryProcess> => (dying.record.killed ? await (heir ??= resurrect()) : dying);
  const run = async (signal: AbortSignal): Promise<Report> => {
    const process = await living();
    const report = await process.run(signal);
    return process.record.killed ? run(signal) : reported(report);
  };

  return {
    processes,
    complaints: [],
    cut: () => cut,
    run,
    async client(act) {
      try {
        return await act((await living()).app.sessions);
      } catch (error) {
        if (!(error instanceof KilledError)) throw error;
        return await act((await living()).app.sessions);
      }
    },
    async close() {
      await dying.close();
      await (await heir)?.close();
    },
  };
}

async function startDying(world: World, point: CutPoint, died: (cut: Cut) => void): Promise<StoryProcess> {
  /** How many requests the model had answered at the last durable commit. */
  let stored = 0;
  const dying = await startProcess(world, async (options) =>
    mortalStore(await openSqliteStore(options), {
      cut: point,
      onCommit: () => {
        stored = world.model.requests.length;
      },
      onDeath: () => {
        dying.kill();
        died({ ...point, calls: [], requests: numbers(stored, world.model.requests.length) });
      },
    }),
  );
  return dying;
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
