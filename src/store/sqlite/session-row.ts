/** The rows that every session has from its beginning: its head, still empty, and its lease, still free. */
import type { Database } from "better-sqlite3";
import { StoreError } from "../../core/error.ts";
import type { SessionId } from "../../core/ids.ts";
import { LAST_KEY } from "./place.ts";

export interface RowMaker {
  /** The key of a new session. Without an id it is hidden; `since` tells when it was begun. */
  add(id: SessionId | null, since?: number): number;
}

export function createRowMaker(sqlite: Database): RowMaker {
  const insertSession = sqlite.prepare<[string | null, number | null]>(
    `insert into sessions (id, hidden_at, seq, hash, workspace, model, lifecycle, created_at, updated_at, state)
      values (?, ?, 0, x'', '', '', 'new', 0, 0, '')`,
  );
  const insertLease = sqlite.prepare<[number]>("insert into leases (session, epoch) values (?, 0)");
  return {
    add(id, since) {
      const key = Number(insertSession.run(id, since ?? null).lastInsertRowid);
      if (key > LAST_KEY) throw new StoreError("this file has had all the sessions it can hold: begin another one");
      insertLease.run(key);
      return key;
    },
  };
}
