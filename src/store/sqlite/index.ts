/** Sessions in one SQLite file that any number of processes may use at once. */
import { resolve } from "node:path";
import { createHasher } from "../../core/content.ts";
import type { SessionId } from "../../core/ids.ts";
import type { LeaseOwner, Store } from "../../core/store.ts";
import { sha256 } from "../hash.ts";
import { createAppend, createCreate } from "./append.ts";
import { createArtifacts } from "./artifacts.ts";
import { createCommit } from "./commit.ts";
import { connect } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { createContents } from "./contents.ts";
import { createExport } from "./export.ts";
import { createImport } from "./import.ts";
import { createKnownSessions } from "./known.ts";
import { createLeases } from "./lease.ts";
import { createList } from "./list.ts";
import { createLiveRows } from "./live.ts";
import { createLoader } from "./load.ts";
import type { StoreParts } from "./parts.ts";
import { createRemoval } from "./remove.ts";
import { createSave } from "./save.ts";
import { createVerify } from "./verify.ts";
import { createWatchers } from "./watch.ts";

export interface SqliteOptions {
  /** Made, with its folder, if there is none; for its owner only. */
  readonly path: string;
  /** `full`, the default, survives a power loss at any moment; `normal` may then lose the newest commits. */
  readonly durability?: "full" | "normal";
  /** Milliseconds since 1970. */
  now(): number;
  /** Whether a lease's owner was a process of this host that is no more; false where that cannot be known. */
  isGone(owner: LeaseOwner): boolean;
  /** How long to wait for other writers before StoreError says that the file is locked; 10 s by default. */
  readonly patienceMs?: number;
}

/** Throws StoreError, with nothing changed, if the file is foreign, newer, damaged, locked or cannot be written. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { durability = "full", patienceMs = 10_000 } = options;
  const held = new Set<SessionId>();
  const connection = await connect({
    path: resolve(options.path),
    durability,
    patienceMs,
    crowded: () => held.size > 1,
  });
  return storeOn(partsOn(connection, options), held);
}

function partsOn(connection: Connection, options: SqliteOptions): StoreParts {
  const { sqlite, path } = connection;
  const hasher = createHasher(sha256);
  const known = createKnownSessions();
  const contents = createContents(sqlite, path);
  const loader = createLoader({ sqlite, contents, known });
  const save = createSave({ sqlite, contents, hasher });
  const watchers = createWatchers(connection, loader);
  return {
    connection,
    contents,
    hasher,
    known,
    loader,
    save,
    watchers,
    now: () => options.now(),
    isGone: (owner) => options.isGone(owner),
  };
}

function storeOn(parts: StoreParts, held: Set<SessionId>): Store {
  const { connection, known, loader, watchers } = parts;
  const artifacts = createArtifacts(connection.sqlite);
  const removal = createRemoval(parts);
  const live = createLiveRows(parts);
  return {
    artifacts,
    live,
    create: createCreate(parts),
    append: createAppend(parts),
    commit: createCommit(parts, { artifacts, live }),
    ...createLeases(parts, { artifacts, live, held }),
    list: createList(parts),
    watch: (id, after, listener) => watchers.watch(id, after, listener),
    async load(id) {
      const current = await connection.read(() => loader.current(id));
      if (current) known.remember(current);
      return current?.session;
    },
    entries: (id, after, limit) =>
      connection.read(() => {
        const head = loader.head(id);
        return head ? loader.entries(head.key, after, limit) : [];
      }),
    verify: createVerify(parts),
    export: createExport(parts),
    import: createImport(parts, removal),
    delete: (id, now) => removal.delete(id, now),
    async close() {
      watchers.close();
      live.close();
      await connection.close();
    },
  };
}
