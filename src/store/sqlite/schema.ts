/**
 * The tables, from which drizzle-kit makes the migrations. Ids are text outside and a small integer key inside; the entries
 * and the content they name are the journal, every other table is a projection of it, written in the same transaction.
 * `place` is session key * 2^32 + number: one tree in the order of reading instead of a table and its index.
 */
import { sql } from "drizzle-orm";
import { blob, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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

/** What can be seen of a running step: JSON, rewritten while it runs, neither journal nor projection. */
export const live = sqliteTable("live", {
  session: integer().primaryKey(),
  body: text().notNull(),
});

/**
 * The journal. The members of an entry's JSON text are columns, which halves it: `body` is the JSON of the effects, or of the
 * input, with hashes in place of content; `hash` is sha256(hash before, text). `short` holds the content that is too short to
 * be worth a row of its own.
 */
export const entries = sqliteTable("entries", {
  place: integer().primaryKey(),
  at: real().notNull(),
  /** Of a commit, as are the columns up to `stageAfter`; null for an input. */
  epoch: integer(),
  base: integer(),
  step: integer(),
  operation: text(),
  reason: text(),
  turnId: text(),
  stageBefore: text(),
  stageAfter: text(),
  body: text().notNull(),
  short: text(),
  hash: blob({ mode: "buffer" }).notNull(),
});

/** Content that is not short: canonical JSON by its sha256, written once. */
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

/** Messages in their order; `parts` says where the content is. `audience`: 1 the person, 2 the model, 3 both. */
export const messages = sqliteTable("messages", {
  place: integer().primaryKey(),
  id: text().notNull(),
  seq: integer().notNull(),
  turnId: text(),
  kind: text().notNull(),
  audience: integer().notNull(),
  createdAt: integer().notNull(),
  author: text().notNull(),
  parts: integer().notNull(),
});

/** Settled calls, numbered as they settled: at most one row, so at most one result, a call. `requested` and `args` say where the content is. */
export const calls = sqliteTable(
  "calls",
  {
    session: integer().notNull(),
    id: text().notNull(),
    n: integer().notNull(),
    status: text().notNull(),
    tool: text().notNull(),
    providerId: text().notNull(),
    turnId: text().notNull(),
    messageId: text().notNull(),
    resultMessageId: text(),
    owner: text(),
    declaration: text(),
    requested: integer().notNull(),
    args: integer(),
    hash: text(),
    decision: text(),
    attempts: integer().notNull(),
    epoch: integer(),
    requestedAt: real().notNull(),
    dispatchedAt: real(),
    settledAt: real(),
    /** JSON of what few calls have. */
    others: text(),
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

/** Artifacts that a commit linked, in that order; `length` is in UTF-16 units. */
export const artifacts = sqliteTable("artifacts", {
  place: integer().primaryKey(),
  id: text().notNull(),
  callId: text().notNull(),
  length: integer().notNull(),
});

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
