/** Opens the file of a store, or says why not and leaves it as it was. */
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { StoreError } from "../../core/error.ts";
import { isBusy, storeFailure } from "./failure.ts";
import { applyMigrations, isCurrent, readMigrations } from "./migrate.ts";

export interface FileOptions {
  readonly path: string;
  /** `full` survives a power loss at any moment; `normal` may then lose the newest commits, never the older ones. */
  readonly durability: "full" | "normal";
  /** How long to wait for other writers before giving up. */
  readonly patienceMs: number;
}

/** SQLite's own wait blocks the process, so it is short; what is left of the patience is spent asleep. */
const BLOCKING_WAIT_MS = 20;

/** Pages in the log before it is copied into the file: few where every commit is synced anyway, many where a checkpoint is the only sync. */
const CHECKPOINT_PAGES = { full: 400, normal: 4_000 } as const;

/** The pauses between attempts, in milliseconds. */
export function* pauses(patienceMs: number): Generator<number, void, void> {
  let waited = 0;
  for (let pause = 1; waited < patienceMs; pause = Math.min(pause * 2, 50)) {
    yield pause;
    waited += pause + BLOCKING_WAIT_MS;
  }
}

/** Runs something synchronous until no other connection is in its way. */
export async function whenFree<T>(patienceMs: number, attempt: () => T): Promise<T> {
  for (const pause of pauses(patienceMs)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await sleep(pause);
  }
  return attempt();
}

export async function openFile({ path, durability, patienceMs }: FileOptions): Promise<Database> {
  let sqlite: Database | undefined;
  try {
    ensureWritable(path);
    const opened = new Sqlite(path, { timeout: BLOCKING_WAIT_MS });
    sqlite = opened;
    const migrations = readMigrations();
    const current = await whenFree(patienceMs, () => isCurrent(opened, path, migrations));
    await whenFree(patienceMs, () => useLog(opened, path));
    opened.pragma(`synchronous = ${durability}`);
    opened.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES[durability]}`);
    if (!current) {
      const migrate = opened.transaction(() => applyMigrations(opened, path, migrations));
      await whenFree(patienceMs, () => migrate.immediate());
    }
    return opened;
  } catch (error) {
    sqlite?.close();
    throw storeFailure(path, error);
  }
}

/** Makes folder and file, for their owner only; throws what the file system says if they cannot be written. */
function ensureWritable(path: string): void {
  makeFolder(dirname(path));
  accessSync(dirname(path), constants.W_OK);
  if (existsSync(path)) accessSync(path, constants.W_OK);
  else closeSync(openSync(path, "a", 0o600));
}

/** Not with `recursive`, which never returns where a file system answers ENOENT to mkdir, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function useLog(sqlite: Database, path: string): void {
  const mode = sqlite.pragma("journal_mode = wal", { simple: true });
  if (mode === "wal") return;
  throw new StoreError(`${path} is on a disk that cannot share memory between processes: choose a local disk`);
}
