/**
 * Content of a session: written once, read only when somebody looks at it. What is short travels in the row of the entry that
 * names it, because a row and an index entry of its own would be larger; what is long has a row, found by its hash.
 */
import type { Database } from "better-sqlite3";
import type { Content } from "../../core/content.ts";
import { StoreError } from "../../core/error.ts";
import { placeOf } from "./place.ts";

/** Where content is: the id of its row, or, below zero, the entry it travels with and its number there. */
export type ContentRef = number;

/** Where this process knows content to be, by hash: most content of an entry was there before. */
export type ContentRefs = Map<string, ContentRef>;

/** A transaction that writes content of one session; what becomes known with it is `learned`. */
export interface ContentPlace {
  readonly session: number;
  readonly known: ContentRefs;
  readonly learned: ContentRefs;
}

export interface Contents {
  /** Stores the content of an entry, unless it is there; gives what is to travel in the entry's row. */
  save(place: ContentPlace, seq: number, contents: readonly Content[]): string | null;
  /** Where content is; stores it if this process does not know. */
  refOf(place: ContentPlace, content: Content): ContentRef;
  body(session: number, ref: ContentRef): string;
  /** The body of long content. */
  find(session: number, hash: string): string | undefined;
  bodyOf(session: number, hash: string): string;
}

const MOST_KNOWN = 1_000;
/** UTF-16 units; about what a row and its place in the index cost, twice. */
const SHORT = 256;
/** Content so short travels with every entry that names it; longer one only with the first. */
const VERY_SHORT = 64;
/** Short contents of one entry; any more have rows. */
const MOST_SHORT = 256;
/** Never part of a JSON text, which escapes it. */
const BETWEEN = "\u001e";

export function createContents(sqlite: Database, path: string): Contents {
  const insert = sqlite.prepare<[number, Buffer, string]>(
    "insert into contents (session, hash, body) values (?, ?, ?) on conflict do nothing",
  );
  const idOf = sqlite
    .prepare<[number, Buffer], number>("select id from contents where session = ? and hash = ?")
    .pluck();
  const bodyOfId = sqlite.prepare<[number], string>("select body from contents where id = ?").pluck();
  const bodyOfHash = sqlite
    .prepare<[number, Buffer], string>("select body from contents where session = ? and hash = ?")
    .pluck();
  const shortOf = sqlite.prepare<[number], string | null>("select short from entries where place = ?").pluck();

  const rowOf = (place: ContentPlace, { hash, body }: Content): ContentRef => {
    const ref = refIn(place, hash) ?? -1;
    if (ref >= 0) return ref;
    const bytes = bytesOf(hash);
    const { changes, lastInsertRowid } = insert.run(place.session, bytes, body);
    const id = changes === 0 ? (idOf.get(place.session, bytes) as number) : Number(lastInsertRowid);
    place.learned.set(hash, id);
    return id;
  };

  return {
    save(place, seq, contents) {
      const short: string[] = [];
      for (const content of contents) {
        const { hash, body } = content;
        if (short.includes(body)) continue;
        if (body.length < limitOf(place, hash) && short.length < MOST_SHORT) {
          place.learned.set(hash, -(seq * MOST_SHORT + short.length + 1));
          short.push(body);
        } else {
          rowOf(place, content);
        }
      }
      return short.length === 0 ? null : short.join(BETWEEN);
    },
    refOf: (place, content) => refIn(place, content.hash) ?? rowOf(place, content),
    body(session, ref) {
      if (ref >= 0) return bodyOfId.get(ref) ?? missing(path, `number ${ref}`);
      const [seq, n] = [Math.floor((-ref - 1) / MOST_SHORT), (-ref - 1) % MOST_SHORT];
      return shortBodies(shortOf.get(placeOf(session, seq)) ?? null)[n] ?? missing(path, `of entry ${seq}`);
    },
    find: (session, hash) => bodyOfHash.get(session, bytesOf(hash)),
    bodyOf: (session, hash) => bodyOfHash.get(session, bytesOf(hash)) ?? missing(path, hash),
  };
}

function refIn({ known, learned }: ContentPlace, hash: string): ContentRef | undefined {
  return learned.get(hash) ?? known.get(hash);
}

/** Below how many units content travels with an entry: what is there already is not stored again for it. */
function limitOf(place: ContentPlace, hash: string): number {
  return refIn(place, hash) === undefined ? SHORT : VERY_SHORT;
}

/** The contents that travel in an entry's row. */
export function shortBodies(short: string | null): readonly string[] {
  if (short === null) return [];
  return short.includes(BETWEEN) ? short.split(BETWEEN) : [short];
}

/** Remembers what a transaction stored, now that it is durable; forgets the oldest. */
export function learn(known: ContentRefs, learned: ContentRefs): void {
  for (const [hash, ref] of learned) known.set(hash, ref);
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
