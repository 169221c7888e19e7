/** The live row: what can be seen of a running step by other processes, written without waiting for the disk. */
import Sqlite from "better-sqlite3";
import type { Database, Statement } from "better-sqlite3";
import type { SessionId } from "../../core/ids.ts";
import type { LiveDraft } from "../../core/live-draft.ts";
import type { Connection } from "./connection.ts";

export interface LiveRows {
  write(id: SessionId, draft: LiveDraft): void;
  read(id: SessionId): Promise<LiveDraft | undefined>;
  /** Inside the transaction that replaces what was live. */
  clear(key: number): void;
  close(): void;
}

/** A row that is lost with the power was stale anyway, so its connection does not sync. */
export function createLiveRows(connection: Connection): LiveRows {
  const { sqlite, path } = connection;
  const bodyOf = sqlite
    .prepare<[string], string>("select body from live where session = (select key from sessions where id = ?)")
    .pluck();
  const remove = sqlite.prepare<[number]>("delete from live where session = ?");
  let quick: { readonly database: Database; readonly save: Statement<[string, string]> } | undefined;

  const open = () => {
    const database = new Sqlite(path, { timeout: 0 });
    database.pragma("synchronous = off");
    const save = database.prepare<[string, string]>(
      `insert into live (session, body) select key, ? from sessions where id = ?
        on conflict (session) do update set body = excluded.body`,
    );
    return { database, save };
  };

  return {
    write(id, draft) {
      try {
        quick ??= open();
        quick.save.run(JSON.stringify(draft), id);
      } catch {
        // The file is busy, or full: whoever looks sees a little less, and the commit that follows tells what is wrong.
      }
    },
    async read(id) {
      const body = await connection.read(() => bodyOf.get(id));
      return body === undefined ? undefined : (JSON.parse(body) as LiveDraft);
    },
    clear(key) {
      remove.run(key);
    },
    close() {
      quick?.database.close();
      quick = undefined;
    },
  };
}
