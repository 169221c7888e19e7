/** Reads sessions: what this process knows, brought up to date from the journal, or everything from the projection. */
import type { Database } from "better-sqlite3";
import { AppendLog } from "../../core/append-log.ts";
import type { Entry, InputEntry } from "../../core/entry.ts";
import { StoreError } from "../../core/error.ts";
import { fold } from "../../core/fold.ts";
import type { SessionId } from "../../core/ids.ts";
import type { ArtifactLink, Session } from "../../core/session.ts";
import { CALL_COLUMNS, createCallReader } from "./call-row.ts";
import type { CallRow } from "./call-row.ts";
import type { ContentRef, Contents } from "./contents.ts";
import { hashText } from "./contents.ts";
import { entryOf } from "./entry-row.ts";
import type { WholeRow } from "./entry-row.ts";
import type { Known, KnownSessions } from "./known.ts";
import { messageOf } from "./message-row.ts";
import type { MessageRow } from "./message-row.ts";
import { placesAfter } from "./place.ts";
import { parseState } from "./state.ts";

export interface Head {
  readonly key: number;
  readonly seq: number;
  readonly hash: Buffer;
}

export interface HashedRow extends WholeRow {
  readonly hash: Buffer;
}

export interface Loader {
  head(id: SessionId): Head | undefined;
  /** The session as it stands now, inside the caller's transaction; undefined if there is none. */
  current(id: SessionId): Known | undefined;
  /** From the projection alone. */
  cold(id: SessionId, head: Head): Known;
  /** The entries after a seq, at most `limit`. */
  entries(key: number, after: number, limit: number): readonly Entry[];
  /** The same, as rows. */
  rows(key: number, after: number, limit: number): readonly HashedRow[];
}

interface LoaderParts {
  readonly sqlite: Database;
  readonly contents: Contents;
  readonly known: KnownSessions;
}

export function createLoader({ sqlite, contents, known }: LoaderParts): Loader {
  const headOf = sqlite.prepare<[string], Head>("select key, seq, hash from sessions where id = ?");
  const rowsAfter = sqlite.prepare<[number, number, number], HashedRow>(
    `select place % 4294967296 as seq, at, epoch, base, step, operation, reason, turn_id as "turnId",
        stage_before as "stageBefore", stage_after as "stageAfter", body, short, hash
      from entries where place > ? and place < ? order by place limit ?`,
  );

  const rows: Loader["rows"] = (key, after, limit) => rowsAfter.all(...placesAfter(key, after), limit);
  const entries: Loader["entries"] = (key, after, limit) =>
    rows(key, after, limit).map((row) => entryOf(row, (hash) => contents.bodyOf(key, hash)));

  const readCold = createColdReader({ sqlite, contents }, (key, seq) => {
    const [entry] = entries(key, seq - 1, 1);
    if (entry?.seq === seq && entry.type === "input") return entry;
    throw new StoreError(`entry ${seq} is no input, though the head says so: verify the session`);
  });

  const caughtUp = (before: Known, head: Head): Known => {
    const session = entries(head.key, before.session.seq, head.seq - before.session.seq).reduce(fold, before.session);
    return { ...before, session, hash: hashText(head.hash) };
  };

  const cold = (id: SessionId, head: Head): Known => ({
    key: head.key,
    hash: hashText(head.hash),
    session: readCold(id, head),
    contents: new Map(),
  });

  return {
    head: (id) => headOf.get(id),
    current(id) {
      const head = headOf.get(id);
      if (!head) return undefined;
      const before = known.get(id);
      if (before?.key !== head.key || before.session.seq > head.seq) return cold(id, head);
      return before.session.seq === head.seq ? before : caughtUp(before, head);
    },
    cold,
    entries,
    rows,
  };
}

function createColdReader(
  { sqlite, contents }: Pick<LoaderParts, "sqlite" | "contents">,
  inputAt: (key: number, seq: number) => InputEntry,
): (id: SessionId, head: Head) => Session {
  const stateOf = sqlite.prepare<[number], string>("select state from sessions where key = ?").pluck();
  const messages = sqlite
    .prepare<[number, number], MessageRow>(
      `select id, seq, turn_id, kind, audience, created_at, author, parts
        from messages where place > ? and place < ? order by place`,
    )
    .raw();
  const calls = sqlite
    .prepare<[number], CallRow>(`select ${CALL_COLUMNS} from calls where session = ? order by n`)
    .raw();
  const artifacts = sqlite.prepare<[number, number], ArtifactLink>(
    'select id, call_id as "callId" from artifacts where place > ? and place < ? order by place',
  );
  return (id, { key, seq }) => {
    const body = (ref: ContentRef): string => contents.body(key, ref);
    const input = (at: number): InputEntry => inputAt(key, at);
    const { open, ...slices } = parseState(stateOf.get(key) as string, id, { body, input });
    return {
      ...slices,
      seq,
      messages: AppendLog.of(messages.all(...placesAfter(key, 0)).map((row) => messageOf(row, body))),
      calls: { open, settled: AppendLog.of(calls.all(key).map(createCallReader(body))) },
      artifacts: AppendLog.of(artifacts.all(...placesAfter(key, 0))),
    };
  };
}
