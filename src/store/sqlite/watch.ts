/**
 * Tells entries to whoever watches: at once those that this process commits, soon those of others. One timer looks, for all
 * watchers together, whether another connection has changed the file, ever less often while none does.
 */
import type { Entry } from "../../core/entry.ts";
import { StoreError } from "../../core/error.ts";
import type { SessionId } from "../../core/ids.ts";
import { tellListener } from "../../core/listener.ts";
import type { Connection } from "./connection.ts";
import { storeFailure } from "./failure.ts";
import type { Loader } from "./load.ts";
import { createPoll } from "./poll.ts";

export interface Watchers {
  watch(id: SessionId, after: number, listener: (entry: Entry) => void): () => void;
  /** Entries that have just become durable, in order. */
  tell(id: SessionId, entries: readonly Entry[]): void;
  close(): void;
}

interface Watcher {
  readonly id: SessionId;
  readonly listener: (entry: Entry) => void;
  /** The last entry that was told. */
  seq: number;
  stopped: boolean;
}

/** Entries read at once, so that a long journal does not hold up the process. */
const PAGE = 200;

export function createWatchers({ sqlite, path }: Pick<Connection, "sqlite" | "path">, loader: Loader): Watchers {
  const watchers = new Set<Watcher>();
  const attempt = createAttempt(path);
  const { tellOne, catchUp } = createTeller(loader, attempt);
  let version: unknown;
  const poll = createPoll(() => {
    const before = version;
    attempt(() => {
      const now = sqlite.pragma("data_version", { simple: true });
      if (now === before) return;
      for (const watcher of watchers) catchUp(watcher);
      version = now;
    });
    return version !== before;
  });

  return {
    watch(id, after, listener) {
      const watcher: Watcher = { id, listener, seq: after, stopped: false };
      watchers.add(watcher);
      setImmediate(() => attempt(() => catchUp(watcher)));
      poll.start();
      return () => {
        watcher.stopped = true;
        watchers.delete(watcher);
        if (watchers.size === 0) poll.stop();
      };
    },
    tell(id, entries) {
      for (const watcher of watchers) {
        if (watcher.id !== id) continue;
        const [first] = entries;
        if (first && first.seq > watcher.seq + 1) attempt(() => catchUp(watcher));
        for (const entry of entries) tellOne(watcher, entry);
      }
    },
    close() {
      for (const watcher of watchers) watcher.stopped = true;
      watchers.clear();
      poll.stop();
    },
  };
}

/** Does nothing if the file cannot be read now: that is told to those who work on it, and a watcher looks again later. */
type Attempt = (look: () => void) => void;

function createAttempt(path: string): Attempt {
  return (look) => {
    try {
      look();
    } catch (error) {
      if (!(storeFailure(path, error) instanceof StoreError)) throw error;
    }
  };
}

/** Each watcher is told the next entry it has not been told, whoever comes with it. */
function createTeller(loader: Loader, attempt: Attempt) {
  const tellOne = (watcher: Watcher, entry: Entry): void => {
    if (watcher.stopped || entry.seq !== watcher.seq + 1) return;
    watcher.seq = entry.seq;
    tellListener(() => watcher.listener(entry));
  };

  /** Reads what the watcher has not been told, page by page; the rest of a long journal in a later tick. */
  const catchUp = (watcher: Watcher): void => {
    if (watcher.stopped) return;
    const head = loader.head(watcher.id);
    if (!head || head.seq <= watcher.seq) return;
    for (const entry of loader.entries(head.key, watcher.seq, PAGE)) tellOne(watcher, entry);
    if (watcher.seq < head.seq) setImmediate(() => attempt(() => catchUp(watcher)));
  };

  return { tellOne, catchUp };
}
