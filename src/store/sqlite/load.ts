/** Reads sessions: what this process knows, brought up to date from the journal, or everything from the projection. */
import type { Database } from "better-sqlite3";
import { AppendLog } from "../../core/append-log.ts";
import { attach } from "../../core/content.ts";
import type { Entry } from "../../core/entry.ts";
import { fold } from "../../core/fold.ts";
import type { SessionId } from "../../core/ids.ts";
import type { ArtifactLink, Session } from "../../core/session.ts";
import type { Contents } from "./contents.ts";
import { hashText } from "./contents.ts";
import type { Known, KnownSessions } from "./known.ts";
import { callOf, messageOf } from "./rows.ts";
import type { CallRow, MessageRow } from "./rows.ts";
import { parseState } from "./state.ts";

export interface Head {
  readonly key: number;
  readonly seq: number;
  readonly hash: Buffer;
}

/** An entry as its row has it, and whole. */
export interface ReadEntry {
  readonly entry: Entry;
  readonly text: string;
  readonly hash: string;
}

export interface Loader {
  head(id: SessionId): Head | undefined;
  /** The session as it stands now, inside the caller's transaction; undefined if there is none. */
  current(id: SessionId): Known | undefined;
  /** From the projection alone. */
  cold(id: SessionId, head: Head): Known;
  /** The entries after a seq, at most `limit`. */
  entries(key: number, after: number, limit: number): readonly ReadEntry[];
}

interface LoaderParts {
  readonly sqlite: Database;
  readonly contents: Contents;
  readonly known: KnownSessions;
}

export function createLoader({ sqlite, contents, known }: LoaderParts): Loader {
  const headOf = sqlite.prepare<[string], Head>("select key, seq, hash from sessions where id = ?");
  const entriesAfter = sqlite.prepare<[number, number, number], { text: string; hash: Buffer }>(
    "select text, hash from entries where session = ? and seq > ? order by seq limit ?",
  );
  const readCold = createColdReader(sqlite, contents);

  const entries: Loader["entries"] = (key, after, limit) =>
    entriesAfter.all(key, after, limit).map(({ text, hash }) => ({
      entry: attach(JSON.parse(text) as object, (content) => contents.bodyOf(key, content)),
      text,
      hash: hashText(hash),
    }));

  const caughtUp = (before: Known, head: Head): Known => {
    const session = entries(head.key, before.session.seq, head.seq - before.session.seq).reduce(
      (folded, { entry }) => fold(folded, entry),
      before.session,
    );
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
  };
}

function createColdReader(sqlite: Database, contents: Contents): (id: SessionId, head: Head) => Session {
  const stateOf = sqlite.prepare<[number], string>("select state from sessions where key = ?").pluck();
  const messages = sqlite
    .prepare<[number], MessageRow>(
      "select id, seq, turn_id, kind, audience, created_at, author, parts from messages where session = ? order by n",
    )
    .raw();
  const calls = sqlite
    .prepare<[number], CallRow>("select id, requested, args, state from calls where session = ? order by n")
    .raw();
  const artifacts = sqlite.prepare<[number], ArtifactLink>(
    'select id, call_id as "callId" from artifacts where session = ? order by n',
  );
  const body = (contentId: number): string => contents.body(contentId);

  return (id, { key, seq }) => {
    const { open, ...slices } = parseState(stateOf.get(key) as string, id, (hash) => contents.bodyOf(key, hash));
    return {
      ...slices,
      seq,
      messages: AppendLog.of(messages.all(key).map((row) => messageOf(row, body))),
      calls: { open, settled: AppendLog.of(calls.all(key).map((row) => callOf(row, body))) },
      artifacts: AppendLog.of(artifacts.all(key)),
    };
  };
}
