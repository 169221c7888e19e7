/** Verification: whatever is changed by hand is found. */
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/ids.ts";
import { chainedHash, NO_HASH } from "../../src/store/hash.ts";
import { bytesOf } from "../../src/store/sqlite/contents.ts";
import { entryText } from "../../src/store/sqlite/entry-row.ts";
import type { EntryRow } from "../../src/store/sqlite/entry-row.ts";
import {
  AT,
  SESSION,
  commit,
  consumed,
  decision,
  newPath,
  openStore,
  said,
  sessionThatAsks,
  started,
  wholeSession,
} from "./kit.ts";

/** Does something to the file of a whole session, then verifies it. */
async function damagesAfter(sql: string) {
  const path = newPath();
  const store = await openStore(path);
  await wholeSession(store);
  const hand = new Sqlite(path);
  hand.exec(sql);
  hand.close();
  return (await store.verify(SESSION)).map(({ seq, problem }) => `${seq ?? "-"}: ${problem}`);
}

test("a session as it was written has no damage", async () => {
  const store = await openStore(newPath());
  await sessionThatAsks(store);
  await store.append(SESSION, decision("d", "c", "approve"), AT);
  expect(await store.verify(SESSION)).toEqual([]);
  await expect(store.verify("none" as SessionId)).rejects.toThrow("there is no session none");
});

test.each([
  [
    "an entry's effects",
    "update entries set body = replace(body, 'turn.start', 'turn.stort') where place % 4294967296 = 3",
    /^3: the entry, or its hash, was changed/,
  ],
  [
    "an entry's reason",
    "update entries set reason = 'another' where place % 4294967296 = 4",
    /^4: the entry, or its hash, was changed/,
  ],
  [
    "an entry's hash",
    "update entries set hash = zeroblob(32) where place % 4294967296 = 4",
    /^4: the entry, or its hash, was changed/,
  ],
  [
    "an entry's time",
    "update entries set at = at + 1 where place % 4294967296 = 12",
    /^12: the entry, or its hash, was changed/,
  ],
  [
    "a missing entry",
    "delete from entries where place % 4294967296 = 5",
    /^5: the journal goes from entry 4 to entry 6/,
  ],
  [
    "a missing last entry",
    "delete from entries where place % 4294967296 = 12",
    /^-: the head is at entry 12, or has another hash than entry 11/,
  ],
  [
    "content",
    "update contents set body = replace(body, 'helpful', 'harmful')",
    /^4: the entry cannot be read: content .* was changed/,
  ],
  [
    "missing content",
    "delete from contents where body like '%helpful%'",
    /^4: the entry cannot be read: content .* is missing/,
  ],
  [
    "short content",
    "update entries set short = replace(short, 'I will.', 'I wont.')",
    /^4: the entry cannot be read: its content was changed/,
  ],
  [
    "missing short content",
    "update entries set short = null where place % 4294967296 = 4",
    /^4: the entry cannot be read: content .* is missing/,
  ],
  [
    "more short content",
    "update entries set short = coalesce(short || char(30), '') || '1' where place % 4294967296 = 4",
    /^4: the entry cannot be read: its content was changed/,
  ],
  [
    "content of nobody",
    "insert into contents (session, hash, body) values (1, zeroblob(32), '1')",
    /^-: no entry names content A{43}/,
  ],
  [
    "a message's author",
    "update messages set author = 'nobody' where id = 'm2'",
    /^4: the rows have message number 2 otherwise/,
  ],
  [
    "a message's content",
    "update messages set parts = (select parts from messages where id = 'm1') where id = 'm2'",
    /^4: .* message number 2/,
  ],
  ["a missing message", "delete from messages where id = 'm3'", /^10: the rows have message number 4 otherwise/],
  [
    "one message too many",
    "insert into messages select place + 9, 'x', seq, turn_id, kind, audience, created_at, author, parts from messages where id = 'm3'",
    /message number 5/,
  ],
  ["a call's status", "update calls set status = 'failed'", /^-: the rows have settled call number 1 otherwise/],
  [
    "a call's arguments",
    "update calls set args = (select parts from messages where id = 'm2')",
    /settled call number 1/,
  ],
  [
    "the last message's place",
    "update messages set place = place + 1 where place = (select max(place) from messages)",
    /^10: the row of message number 4 is not in its place, or differs from the journal/,
  ],
  [
    "a place that leaves a gap",
    "update messages set place = place + 3 where place = (select max(place) from messages)",
    /^10: the row of message number 4/,
  ],
  ["a call's number", "update calls set n = n + 1", /^-: the row of settled call number 1 is not in its place/],
  ["a link's place", "update artifacts set place = place + 1", /^-: the row of artifact number 1 is not in its place/],
  [
    "part of a millisecond",
    "update messages set created_at = created_at + 0.5 where id = 'm1'",
    /^3: the row of message number 1/,
  ],
  [
    "an input's turn",
    "update entries set turn_id = 't' where operation is null and place % 4294967296 = 6",
    /^6: the entry is an input, and has columns of a commit: turnId/,
  ],
  ["a missing call", "delete from calls", /settled call number 1/],
  [
    "the head's state",
    `update sessions set state = replace(state, '"inferences":9', '"inferences":90')`,
    /^-: the rows have the slice session otherwise/,
  ],
  [
    "a note in the state",
    `update sessions set state = replace(state, '"seen":true', '"seen":false')`,
    /the slice notes/,
  ],
  ["an unreadable state", "update sessions set state = '{'", /^-: the rows cannot be read/],
  ["the head's seq", "update sessions set seq = 11", /^-: the head is at entry 11/],
  ["the head's title", "update sessions set title = 'other'", /^-: the head has another title/],
  ["the head's outcome", `update sessions set outcome = '{"status":"cancelled"}'`, /^-: the head has another outcome/],
  ["the head's cost", "update sessions set cost = 0", /^-: the head has another cost/],
  ["an input's row", "delete from inputs where id = 'i1'", /^-: the list of inputs differs/],
  ["an epoch that fell", "update leases set epoch = 0", /^-: the lease is at epoch 0, and entries have epoch 1/],
  ["an artifact's text", "update artifact_chunks set text = 'a lone output'", /^-: artifact a was changed/],
  ["a missing piece of an artifact", "delete from artifact_chunks", /^-: artifact a has 0 units of text, and had 13/],
  ["a missing link", "delete from artifacts", /artifact number 1/],
])("%s changed by hand is found", async (_name, sql, expected) => {
  const damages = await damagesAfter(sql);
  expect(damages[0] ?? "nothing was found").toMatch(expected);
});

test("an entry that was forged together with all later hashes still has to be one that could follow", async () => {
  const path = newPath();
  const store = await openStore(path);
  await sessionThatAsks(store);
  const hand = new Sqlite(path);
  const rows = hand
    .prepare(
      `select *, place % 4294967296 as seq, turn_id as "turnId", stage_before as "stageBefore", stage_after as "stageAfter" from entries`,
    )
    .all() as (EntryRow & { place: number })[];
  const update = hand.prepare("update entries set body = ?, hash = ? where place = ?");
  let hash = NO_HASH;
  for (const row of rows) {
    const body = row.body.replaceAll('"turn.start"', '"turn.end"');
    hash = chainedHash(hash, entryText({ ...row, body }));
    update.run(body, bytesOf(hash), row.place);
  }
  hand.prepare("update sessions set hash = ?").run(bytesOf(hash));
  hand.close();
  const damages = await store.verify(SESSION);
  expect(damages[0]).toMatchObject({ seq: 3, problem: expect.stringContaining("the entry cannot be read") as string });
});

/** Columns that no journal can judge, and why. */
const NOT_JOURNALLED: Readonly<Record<string, string>> = {
  "contents.id": "a number that means nothing unless a message or a call has it",
  "sessions.hidden_at": "says of a session without an id since when it is imported or deleted",
  "leases.epoch": "rises with every lease, also of one that commits nothing; a lower one is found",
  "leases.owner": "who holds the session now is no history",
  "leases.host": "as the owner",
  "leases.pid_namespace": "as the owner",
  "leases.pid": "as the owner",
  "leases.process_start": "as the owner",
  "leases.expires_at": "as the owner",
};
/** Of the migrations, which the opening checks; numbers of SQLite's own; and what a running step shows. */
const OTHER_TABLES = ["__drizzle_migrations", "sqlite_sequence", "live"];

test("every column of every row, changed by hand, is found or is one that no journal can judge", async () => {
  const path = newPath();
  const store = await openStore(path);
  const lease = await wholeSession(store);
  await commit(store, lease, [consumed("i3"), started("t2"), said("m4", "long ".repeat(100), "prompt")]);
  const hand = new Sqlite(path);
  const names = hand.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  const missed = new Set<string>();
  for (const table of names.filter((name) => !OTHER_TABLES.includes(name))) {
    const columns = hand.prepare(`select name, type from pragma_table_info('${table}')`).all() as Column[];
    const rows = hand.prepare(`select rowid from ${table}`).pluck().all() as number[];
    expect(rows, table).not.toEqual([]);
    for (const { name, type } of columns) {
      for (const row of rows) {
        const old = hand.prepare(`select ${name} from ${table} where rowid = ?`).pluck().get(row);
        hand.prepare(`update ${table} set ${name} = ${CHANGED[type.toLowerCase()]?.(name)} where rowid = ?`).run(row);
        const damages = await store.verify(SESSION).catch(() => ["not even there"]);
        if (damages.length === 0) missed.add(`${table}.${name}`);
        const key = hand
          .prepare(`select max(rowid) from ${table} where rowid in (?, ?)`)
          .pluck()
          .get(row, row + MUCH);
        hand.prepare(`update ${table} set ${name} = ? where rowid = ?`).run(old, key);
      }
    }
  }
  hand.close();
  expect(await store.verify(SESSION)).toEqual([]);
  expect([...missed].toSorted()).toEqual(Object.keys(NOT_JOURNALLED).toSorted());
});

interface Column {
  readonly name: string;
  readonly type: string;
}

/** More than there are rows. */
const MUCH = 1_000;
const CHANGED: Readonly<Record<string, (column: string) => string>> = {
  integer: (column) => `coalesce(${column}, 0) + ${MUCH}`,
  real: (column) => `coalesce(${column}, 0) + 1`,
  text: (column) => `coalesce(${column}, '') || 'x'`,
  blob: () => "zeroblob(32)",
};
