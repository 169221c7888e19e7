/** The live row: what can be seen of a running step by other processes, written without waiting for the disk. */
import Sqlite from "better-sqlite3";
import type { Database, Statement } from "better-sqlite3";
import type { SessionId } from "../../core/ids.ts";
import type { LiveDraft } from "../../core/live-draft.ts";
import type { Lease } from "../../core/store.ts";
import { createLeaseReader, holderOf } from "./lease-row.ts";
import type { StoreParts } from "./parts.ts";

export interface LiveRows {
  write(lease: Lease, draft: LiveDraft): void;
  read(id: SessionId): Promise<LiveDraft | undefined>;
  /** Inside the transaction that replaces what was live. */
  clear(key: number): void;
  close(): void;
}

/** A row that is lost with the power was stale anyway, so its connection does not sync. */
export function createLiveRows(parts: StoreParts): LiveRows {
  const { connection } = parts;
  const { sqlite, path } = connection;
  const leaseOf = createLeaseReader(sqlite);
  const bodyOf = sqlite.prepare<[number], string>("select body from live where session = ?").pluck();
  const remove = sqlite.prepare<[number]>("delete from live where session = ?");
  let quick: { readonly database: Database; readonly save: Statement<[string, string, number]> } | undefined;
  let closed = false;

  const open = () => {
    const database = new Sqlite(path, { timeout: 0 });
    database.pragma("synchronous = off");
    // An owner that overslept must not show its step in place of its successor's.
    const save = database.prepare<[string, string, number]>(
      `insert into live (session, body)
        select s.key, ? from sessions s join leases l on l.session = s.key where s.id = ? and l.epoch = ?
        on conflict (session) do update set body = excluded.body`,
    );
    return { database, save };
  };

  return {
    write({ sessionId, epoch }, draft) {
      if (closed) return;
      try {
        quick ??= open();
        quick.save.run(JSON.stringify(draft), sessionId, epoch);
      } catch {
        // The file is busy, or full: whoever looks sees a little less, and the commit that follows tells what is wrong.
      }
    },
    async read(id) {
      const body = await connection.read(() => {
        const lease = leaseOf(id);
        // What a process that died or fell silent left behind does not run any more.
        return lease && holderOf(lease, parts.now(), parts) && bodyOf.get(lease.key);
      });
      return body === undefined ? undefined : (JSON.parse(body) as LiveDraft);
    },
    clear(key) {
      remove.run(key);
    },
    close() {
      closed = true;
      quick?.database.close();
      quick = undefined;
    },
  };
}
