/** Looks for anything in a stored session that is not as it was written. */
import { setImmediate as nextTick } from "node:timers/promises";
import { UsageError } from "../../core/error.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Damage } from "../../core/store.ts";
import type { StoreParts } from "./parts.ts";
import { readRow, unread } from "./verify-journal.ts";
import type { JournalReading } from "./verify-journal.ts";
import { createRowChecks } from "./verify-rows.ts";

/** Entries read at once. */
const PAGE = 100;

export function createVerify(parts: StoreParts): (id: SessionId) => Promise<readonly Damage[]> {
  const { connection, loader, contents } = parts;
  const checkRows = createRowChecks(parts);

  /** Reads a page; the last one together with the rows of the projection, so that both are of one moment. */
  const readPage = (id: SessionId, key: number, reading: JournalReading): boolean => {
    const rows = loader.rows(key, reading.seq, PAGE);
    for (const row of rows) readRow(reading, row, (hash) => contents.find(key, hash));
    if (rows.length === PAGE) return true;
    const { session } = reading;
    if (!session) return false;
    reading.damages.push(...checkRows(key, reading, session));
    return false;
  };

  return async (id) => {
    const key = await connection.read(() => loader.head(id)?.key);
    if (key === undefined) throw new UsageError(`there is no session ${id}`);
    const reading = unread(id);
    while (await connection.read(() => readPage(id, key, reading))) await nextTick();
    return reading.damages;
  };
}
