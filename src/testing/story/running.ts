/** The runs of a story: one at a time, started by the body and awaited when it likes. */
import type { Report } from "../../report.ts";
import type { Running } from "./agent.ts";

/** The story cannot go on as it was told, because a kill cut what it waits for. No failure. */
export class StoryCutError extends Error {
  override readonly name = "StoryCutError";
}

export interface Runs {
  /** Begins when the run before it, and what is to happen first, are over. */
  start(first: Promise<unknown>): Running;
  readonly report: Report | undefined;
  /** Resolves when nothing runs any more; rejects with what a run failed with. */
  settled(): Promise<void>;
}

interface RunsPorts {
  readonly run: (signal: AbortSignal) => Promise<Report>;
  readonly wasCut: () => boolean;
  readonly shown: (text: string) => Promise<void>;
}

export function createRuns({ run, wasCut, shown }: RunsPorts): Runs {
  const before = async (running: Promise<unknown>, awaited: Promise<void>, what: string): Promise<void> => {
    const came = await Promise.race([awaited.then(() => true), running.then(() => false)]);
    if (came) return;
    const message = `the run came to rest before ${what}`;
    throw wasCut() ? new StoryCutError(message) : new Error(message);
  };
  let last: Promise<unknown> = Promise.resolve();
  let report: Report | undefined;
  return {
    get report() {
      return report;
    },
    start(first) {
      const controller = new AbortController();
      const running = Promise.all([last, first]).then(async () => (report = await run(controller.signal)));
      last = running;
      // Whoever never awaits the run meets its failure when the story ends.
      running.catch(() => undefined);
      return Object.assign(running, {
        abort: () => controller.abort(),
        reached: (hold: { readonly reached: Promise<void> }) => before(running, hold.reached, "it reached the hold"),
        shown: (text: string) => before(running, shown(text), `"${text}" was shown`),
      });
    },
    settled: async () => void (await last),
  };
}
