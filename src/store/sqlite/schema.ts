/**
 * The tables, from which drizzle-kit makes the migrations. Ids are text outside and a small integer key inside; the entries
 * and the content they name are the journal, every other table is a projection of it, written in the same transaction.
 */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * One row a session: its head and what a list shows. `id` is null while the session is imported or deleted (`hiddenAt` says
 * since when); `state` is the JSON of the slices that are small. Times are in milliseconds since 1970.
 */
export const sessions = sqliteTable("sessions", {
  key: integer().primaryKey({ autoIncrement: true }),
  id: text().unique(),
  seq: integer().notNull(),
  hash: blob({ mode: "buffer" }).notNull(),
  hiddenAt: integer(),
  title: text(),
  workspace: text().notNull(),
  model: text().notNull(),
  lifecycle: text().notNull(),
  outcome: text(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  cost: real(),
  state: text().notNull(),
});

/** Who may step a session; without an owner it is free. The epoch is kept, so that it never falls. */
export const leases = sqliteTable("leases", {
  session: integer().primaryKey(),
  epoch: integer().notNull(),
  owner: text(),
  host: text(),
  pidNamespace: text(),
  pid: integer(),
  processStart: text(),
  expiresAt: integer(),
});

/** The journal: the JSON of each entry with hashes in place of content, and sha256(hash before, text). */
export const entries = sqliteTable(
  "entries",
  {
    session: integer().notNull(),
    seq: integer().notNull(),
    text: text().notNull(),
    hash: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.session, table.seq] })],
);

/** Canonical JSON by its sha256, written once. */
export const contents = sqliteTable(
  "contents",
  {
    id: integer().primaryKey(),
    session: integer().notNull(),
    hash: blob({ mode: "buffer" }).notNull(),
    body: text().notNull(),
  },
  (table) => [uniqueIndex("contents_session_hash").on(table.session, table.hash)],
);

/** Messages in their order, the parts in `contents`. `audience`: 1 the person, 2 the model, 3 both. */
export const messages = sqliteTable(
  "messages",
  {
    session: integer().notNull(),
    n: integer().notNull(),
    id: text().notNull(),
    seq: integer().notNull(),
    turnId: text(),
    kind: text().notNull(),
    audience: integer().notNull(),
    createdAt: integer().notNull(),
    author: text().notNull(),
    parts: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.session, table.n] })],
);

/** Settled calls, in the order they settled: at most one row, so at most one result, a call. */
export const calls = sqliteTable(
  "calls",
  {
    session: integer().notNull(),
    id: text().notNull(),
    n: integer().notNull(),
    requested: integer().notNull(),
    args: integer(),
    state: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.session, table.id] })],
);

/** Which inputs there ever were, so that the same id, or a second decision about one target, is found at once. */
export const inputs = sqliteTable(
  "inputs",
  {
    session: integer().notNull(),
    id: text().notNull(),
    seq: integer().notNull(),
    target: text(),
  },
  (table) => [
    primaryKey({ columns: [table.session, table.id] }),
    uniqueIndex("inputs_session_target")
      .on(table.session, table.target)
      .where(sql`target is not null`),
  ],
);

/** Artifacts that a commit linked; `length` is in UTF-16 units. */
export const artifacts = sqliteTable(
  "artifacts",
  {
    session: integer().notNull(),
    n: integer().notNull(),
    id: text().notNull(),
    callId: text().notNull(),
    length: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.session, table.n] }),
    index("artifacts_session_id").on(table.session, table.id),
  ],
);

/** The text of artifacts in pieces, written while a tool runs. `start` and `length` are in UTF-16 units. */
export const artifactChunks = sqliteTable(
  "artifact_chunks",
  {
    session: integer().notNull(),
    artifact: text().notNull(),
    start: integer().notNull(),
    length: integer().notNull(),
    text: text().notNull(),
    hash: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.session, table.artifact, table.start] })],
);
