/** The one connection of a store: queues its writes, and waits for other processes without blocking this one. */
import type { Database } from "better-sqlite3";
import { StoreError } from "../../core/error.ts";
import { createBatches } from "./batch.ts";
import type { Job } from "./batch.ts";
import { storeFailure } from "./failure.ts";
import { openFile, pauses, whenFree } from "./open-file.ts";
import type { FileOptions } from "./open-file.ts";

export interface ConnectionOptions extends FileOptions {
  /** Whether others are likely to write in the same tick, so that waiting for them saves a sync. */
  readonly crowded: () => boolean;
}

export interface Connection {
  readonly path: string;
  readonly sqlite: Database;
  /** Runs a synchronous job that sees one state of the file. */
  read<T>(job: () => T): Promise<T>;
  /**
   * Runs a synchronous job in a transaction. `committed` runs as soon as it is durable, before the promise resolves. If the
   * job throws, nothing of it is written.
   */
  readonly write: <T>(job: () => T, committed?: (value: T) => void) => Promise<T>;
  /** Finishes what is queued and leaves one tidy file behind. */
  close(): Promise<void>;
}

export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { path, patienceMs } = options;
  const sqlite = await openFile(options);
  const enqueue = createQueue(sqlite, options);
  const snapshot = sqlite.transaction((job: () => unknown) => job());

  let unfinished = 0;

  const write: Connection["write"] = <T>(job: () => T, committed?: (value: T) => void) =>
    new Promise<T>((resolve, reject) => {
      unfinished += 1;
      enqueue({
        run: job,
        succeed(value) {
          unfinished -= 1;
          committed?.(value as T);
          resolve(value as T);
        },
        fail(error) {
          unfinished -= 1;
          reject(storeFailure(path, error));
        },
      });
    });

  return {
    path,
    sqlite,
    write,
    async read<T>(job: () => T) {
      try {
        return await whenFree(patienceMs, () => snapshot(job) as T);
      } catch (error) {
        throw storeFailure(path, error);
      }
    },
    async close() {
      if (!sqlite.open) return;
      try {
        // Who has only read waits for nobody.
        if (unfinished > 0) await write(() => undefined);
        sqlite.pragma("wal_checkpoint(truncate)");
      } catch {
        // Another process is in the way: the log stays, and the last one to close takes it away.
      } finally {
        sqlite.close();
      }
    },
  };
}

/** Runs jobs at once, or together with those of the same tick; while the file is locked they wait in line. */
function createQueue(sqlite: Database, { path, patienceMs, crowded }: ConnectionOptions): (job: Job) => void {
  const runBatch = createBatches(sqlite);
  const queue: Job[] = [];
  let waiting = false;
  let patience = pauses(patienceMs);

  const flush = (): void => {
    waiting = false;
    if (queue.length === 0) return;
    if (runBatch(queue)) {
      patience = pauses(patienceMs);
      return;
    }
    const pause = patience.next();
    if (!pause.done) {
      waiting = true;
      setTimeout(flush, pause.value);
      return;
    }
    patience = pauses(patienceMs);
    const locked = new StoreError(`${path} is locked by another program: end that program, or try again later`);
    for (const job of queue.splice(0)) job.fail(locked);
  };

  return (job) => {
    queue.push(job);
    if (waiting) return;
    if (!crowded()) {
      flush();
      return;
    }
    waiting = true;
    setImmediate(flush);
  };
}
