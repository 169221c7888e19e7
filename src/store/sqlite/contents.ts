/** Content rows of a session: written once, found by hash, read only when somebody looks at them. */
import type { Database } from "better-sqlite3";
import { StoreError } from "../../core/error.ts";

/** The ids of content that this process knows to be stored, by hash: most content of an entry was there before. */
export type ContentIds = Map<string, number>;

export interface Contents {
  /** Stores content unless it is there, and gives its row's id. `learned` takes what becomes true with the transaction. */
  save(place: ContentPlace, hash: string, body: string): number;
  idOf(place: ContentPlace, hash: string): number;
  body(id: number): string;
  bodyOf(session: number, hash: string): string;
  find(session: number, hash: string): string | undefined;
}

export interface ContentPlace {
  readonly session: number;
  readonly known: ContentIds;
  readonly learned: ContentIds;
}

const MOST_KNOWN = 1_000;

export function createContents(sqlite: Database, path: string): Contents {
  const insert = sqlite.prepare<[number, Buffer, string]>(
    "insert into contents (session, hash, body) values (?, ?, ?) on conflict do nothing",
  );
  const byHash = sqlite
    .prepare<[number, Buffer], number>("select id from contents where session = ? and hash = ?")
    .pluck();
  const bodyById = sqlite.prepare<[number], string>("select body from contents where id = ?").pluck();
  const bodyByHash = sqlite
    .prepare<[number, Buffer], string>("select body from contents where session = ? and hash = ?")
    .pluck();

  const find = ({ session, known, learned }: ContentPlace, hash: string): number | undefined => {
    const id = known.get(hash) ?? learned.get(hash);
    if (id !== undefined) return id;
    const stored = byHash.get(session, bytesOf(hash));
    if (stored !== undefined) learned.set(hash, stored);
    return stored;
  };

  return {
    save(place, hash, body) {
      const id = place.known.get(hash) ?? place.learned.get(hash);
      if (id !== undefined) return id;
      const { changes, lastInsertRowid } = insert.run(place.session, bytesOf(hash), body);
      if (changes === 0) return find(place, hash) ?? missing(path, hash);
      place.learned.set(hash, Number(lastInsertRowid));
      return Number(lastInsertRowid);
    },
    idOf: (place, hash) => find(place, hash) ?? missing(path, hash),
    body: (id) => bodyById.get(id) ?? missing(path, `number ${id}`),
    find: (session, hash) => bodyByHash.get(session, bytesOf(hash)),
    bodyOf: (session, hash) => bodyByHash.get(session, bytesOf(hash)) ?? missing(path, hash),
  };
}

/** Remembers what a transaction stored, now that it is durable; forgets the oldest. */
export function learn(known: ContentIds, learned: ContentIds): void {
  for (const [hash, id] of learned) known.set(hash, id);
  if (known.size <= MOST_KNOWN) return;
  for (const hash of [...known.keys()].slice(0, MOST_KNOWN / 2)) known.delete(hash);
}

/** A hash as the tables hold it. */
export function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, "base64url");
}

/** A hash as entries and exports hold it. */
export function hashText(bytes: Buffer): string {
  return bytes.toString("base64url");
}

function missing(path: string, what: string): never {
  throw new StoreError(
    `${path} lacks content ${what}, which its journal names: verify the session, or restore a backup`,
  );
}
