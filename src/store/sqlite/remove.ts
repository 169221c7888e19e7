/** Takes sessions away: hidden in one short transaction, then emptied row by row, in as many transactions as it takes. */
import { setImmediate as nextTick } from "node:timers/promises";
import { UsageError } from "../../core/error.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Connection } from "./connection.ts";
import { createLeaseReader, holderOf } from "./lease-row.ts";
import { placesAfter } from "./place.ts";
import type { StoreParts } from "./parts.ts";

export interface Removal {
  delete(id: SessionId, now: number): Promise<void>;
  /** Takes the rows of a hidden session away. */
  readonly clear: (key: number) => Promise<void>;
  /** Takes away what imports and deletions left behind when their process ended. */
  readonly clearAbandoned: () => Promise<void>;
}

const PLACED = ["entries", "messages", "artifacts"];
const KEYED = ["calls", "inputs", "artifact_chunks", "contents", "live"];
/** Rows of one table in one transaction. */
const AT_ONCE = 1_000;
/** An import that wrote nothing for so long is over. */
const ABANDONED_MS = 10 * 60_000;

export function createRemoval(parts: StoreParts): Removal {
  const { connection, known, now } = parts;
  const { sqlite } = connection;
  const leaseOf = createLeaseReader(sqlite);
  const hide = sqlite.prepare<[number]>("update sessions set id = null, hidden_at = 0 where key = ?");
  const abandoned = sqlite
    .prepare<[number], number>("select key from sessions where id is null and hidden_at < ?")
    .pluck();
  const condemn = sqlite.prepare<[number, number]>(
    "update sessions set hidden_at = 0 where key = ? and id is null and hidden_at < ?",
  );
  const clear = createClear(connection);

  const hidden = (id: SessionId, at: number): number => {
    const row = leaseOf(id);
    if (!row) throw new UsageError(`there is no session ${id}`);
    const holder = holderOf(row, at, parts);
    if (holder) {
      const { pid, host } = holder.owner;
      throw new UsageError(`session ${id} is held by process ${pid} on ${host}: end it first`);
    }
    hide.run(row.key);
    return row.key;
  };

  const clearAbandoned = async (): Promise<void> => {
    const before = now() - ABANDONED_MS;
    for (const key of await connection.read(() => abandoned.all(before))) {
      // From here on the import it belongs to, should that still run, can neither go on nor show it.
      const { changes } = await connection.write(() => condemn.run(key, before));
      if (changes === 1) await clear(key);
    }
  };

  return {
    clear,
    async delete(id, at) {
      const key = await connection.write(
        () => hidden(id, at),
        () => known.forget(id),
      );
      await clear(key);
      await clearAbandoned();
    },
    clearAbandoned,
  };
}

function createClear({ sqlite, write }: Connection): Removal["clear"] {
  const deleteSome = (table: string, condition: string) =>
    sqlite.prepare(
      `delete from ${table} where rowid in (select rowid from ${table} where ${condition} limit ${AT_ONCE})`,
    );
  const placed = PLACED.map((table) => deleteSome(table, "place > ? and place < ?"));
  const keyed = KEYED.map((table) => deleteSome(table, "session = ?"));
  const deleteHead = ["delete from leases where session = ?", "delete from sessions where key = ?"].map((sql) =>
    sqlite.prepare<[number]>(sql),
  );
  return async (key) => {
    const deletions = [
      ...placed.map((rows) => () => rows.run(...placesAfter(key, 0)).changes),
      ...keyed.map((rows) => () => rows.run(key).changes),
    ];
    for (const deletion of deletions) {
      while ((await write(deletion)) === AT_ONCE) await nextTick();
    }
    await write(() => {
      for (const statement of deleteHead) statement.run(key);
    });
  };
}
