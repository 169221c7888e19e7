/** Makes entries and what they changed durable, inside the caller's transaction. */
import type { Database } from "better-sqlite3";
import type { Hasher } from "../../core/content.ts";
import type { Entry } from "../../core/entry.ts";
import { targetOf } from "../../core/input.ts";
import { lifecycleOf } from "../../core/lifecycle.ts";
import { standingOf } from "../../core/projection.ts";
import { costOf } from "../../core/session.ts";
import type { Session } from "../../core/session.ts";
import { chainedHash } from "../hash.ts";
import { CALL_COLUMNS, callRow } from "./call-row.ts";
import { bytesOf } from "./contents.ts";
import type { ContentPlace, ContentRef, ContentRefs, Contents } from "./contents.ts";
import { detached, entryText } from "./entry-row.ts";
import type { Known } from "./known.ts";
import { messageRow } from "./message-row.ts";
import { placeOf } from "./place.ts";
import { stateText } from "./state.ts";

/** What was saved: to be remembered once it is durable. `hashes` are of the entries, in order. */
export interface Saved {
  readonly known: Known;
  readonly learned: ContentRefs;
  readonly hashes: readonly string[];
}

/** Appends the entries that took `before` to `after`, and brings the projection there. */
export type Save = (before: Known, after: Session, entries: readonly Entry[]) => Saved;

/** Where the content is that a value is. */
type RefOf = (value: unknown) => ContentRef;

interface SaveParts {
  readonly sqlite: Database;
  readonly contents: Contents;
  readonly hasher: Hasher;
}

export function createSave({ sqlite, contents, hasher }: SaveParts): Save {
  const insertEntry = sqlite.prepare(
    `insert into entries (place, at, epoch, base, step, operation, reason, turn_id, stage_before, stage_after,
        body, short, hash)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertInput = sqlite.prepare<[number, string, number, string | null]>(
    "insert into inputs (session, id, seq, target) values (?, ?, ?, ?)",
  );
  const saveHead = createHeadWriter(sqlite);
  const saveLogs = createLogWriter(sqlite);

  return (before, after, entries) => {
    const place: ContentPlace = { session: before.key, known: before.contents, learned: new Map() };
    const hashes: string[] = [];
    let { hash } = before;
    for (const entry of entries) {
      const { row, contents: pieces } = detached(entry, hasher);
      const short = contents.save(place, entry.seq, pieces);
      hash = chainedHash(hash, entryText(row));
      hashes.push(hash);
      const { at, epoch, base, step, operation, reason, turnId, stageBefore, stageAfter, body } = row;
      const columns = [at, epoch, base, step, operation, reason, turnId, stageBefore, stageAfter, body, short];
      insertEntry.run(placeOf(before.key, entry.seq), ...columns, bytesOf(hash));
      if (entry.type === "input") {
        insertInput.run(before.key, entry.input.id, entry.seq, targetOf(entry.input) ?? null);
      }
    }
    const refOf = (value: unknown): ContentRef => contents.refOf(place, hasher.content(value));
    saveLogs(before, after, refOf);
    const last = entries.at(-1);
    if (last) saveHead({ ...before, hash, session: after }, last.at, refOf);
    return { known: { ...before, hash, session: after }, learned: place.learned, hashes };
  };
}

/** Writes what the logs of a session, which only grow, have more than before. */
function createLogWriter(sqlite: Database) {
  const insertMessage = sqlite.prepare(
    `insert into messages (place, id, seq, turn_id, kind, audience, created_at, author, parts)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertCall = sqlite.prepare(
    `insert into calls (session, n, ${CALL_COLUMNS})
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertArtifact = sqlite.prepare(
    `insert into artifacts (place, id, call_id, length) values (?, ?, ?,
      (select coalesce(sum(length), 0) from artifact_chunks where session = ? and artifact = ?))`,
  );
  return ({ key: session, session: before }: Known, after: Session, refOf: RefOf): void => {
    let n = before.messages.length;
    for (const message of after.messages.since(n)) {
      insertMessage.run(placeOf(session, n + 1), ...messageRow(message, refOf(message.parts)));
      n += 1;
    }
    n = before.calls.settled.length;
    for (const call of after.calls.settled.since(n)) {
      const ids = { requested: refOf(call.requested), args: call.args === undefined ? null : refOf(call.args) };
      insertCall.run(session, n, ...callRow(call, ids));
      n += 1;
    }
    n = before.artifacts.length;
    for (const { id, callId } of after.artifacts.since(n)) {
      insertArtifact.run(placeOf(session, n + 1), id, callId, session, id);
      n += 1;
    }
  };
}

/** The one row that is written again with each transaction. */
function createHeadWriter(sqlite: Database): (known: Known, at: number, refOf: RefOf) => void {
  const columns = HEAD_COLUMNS.map((column) => `${column} = ?`).join(", ");
  const update = sqlite.prepare(`update sessions set ${columns}, state = ? where key = ?`);
  return (known, at, refOf) => update.run(...headColumns(known, at), stateText(known.session, refOf), known.key);
}

/** What the head says beside its state, for lists. */
export const HEAD_COLUMNS = [
  "seq",
  "hash",
  "title",
  "workspace",
  "model",
  "lifecycle",
  "outcome",
  "created_at",
  "updated_at",
  "cost",
] as const;

/** The values of HEAD_COLUMNS after an entry of a time. */
export function headColumns({ hash, session }: Known, at: number): readonly unknown[] {
  const { title, workspace, model, createdAt } = session.session;
  const outcome = standingOf(session);
  return [
    session.seq,
    bytesOf(hash),
    title ?? null,
    workspace,
    model,
    lifecycleOf(session),
    outcome ? JSON.stringify(outcome) : null,
    createdAt === "" ? at : Date.parse(createdAt),
    at,
    costOf(session.usage),
  ];
}
