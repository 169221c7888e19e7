/** Reads a journal from its beginning: no gap, every hash right, every entry valid, each able to follow the one before. */
import { Entry } from "../../core/entry.ts";
import type { InputEntry } from "../../core/entry.ts";
import { wordsOf } from "../../core/error.ts";
import { emptySession } from "../../core/fold.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import type { Damage } from "../../core/store.ts";
import { chainedHash, NO_HASH, sha256 } from "../hash.ts";
import { replayed } from "../replay.ts";
import { hashText, shortBodies } from "./contents.ts";
import { entryOf, entryText, foreignColumns } from "./entry-row.ts";
import type { HashedRow } from "./load.ts";

/** A journal read so far. `session` is undefined once an entry could not be folded: what follows cannot be either. */
export interface JournalReading {
  readonly damages: Damage[];
  readonly named: Set<string>;
  readonly inputs: InputEntry[];
  seq: number;
  hash: string;
  at: number;
  session: Session | undefined;
}

export function unread(id: SessionId): JournalReading {
  const named = new Set<string>();
  return { damages: [], named, inputs: [], seq: 0, hash: NO_HASH, at: 0, session: emptySession(id) };
}

/** Reads one more row. */
export function readRow(reading: JournalReading, row: HashedRow, bodyOf: (hash: string) => string | undefined): void {
  const { seq } = row;
  const told = (problem: string): void => {
    reading.damages.push({ seq, problem });
  };
  const hash = hashText(row.hash);
  if (seq !== reading.seq + 1) {
    reading.damages.push({
      seq: reading.seq + 1,
      problem: `the journal goes from entry ${reading.seq} to entry ${seq}`,
    });
    reading.session = undefined;
  } else if (chainedHash(reading.hash, entryText(row)) !== hash) {
    told("the entry, or its hash, was changed");
  }
  const foreign = foreignColumns(row);
  if (foreign.length > 0) told(`the entry is an input, and has columns of a commit: ${foreign.join(", ")}`);
  reading.seq = seq;
  reading.hash = hash;
  reading.at = row.at;
  try {
    checkShort(reading, row);
    const entry = entryOf(row, (name) => checkedBody(reading, name, bodyOf(name)));
    const valid = Entry.parse(entry);
    if (valid.type === "input") reading.inputs.push(valid);
    if (reading.session) reading.session = replayed(reading.session, entry);
  } catch (error) {
    told(`the entry cannot be read: ${wordsOf(error)}`);
    reading.session = undefined;
  }
}

/** What travels with an entry must be what it names. */
function checkShort({ named }: JournalReading, row: HashedRow): void {
  for (const name of shortBodies(row.short).map(sha256)) {
    if (!row.body.includes(name)) throw new Error(`its content was changed: it does not name ${name}`);
    named.add(name);
  }
}

function checkedBody(reading: JournalReading, name: string, body: string | undefined): string {
  if (body === undefined) throw new Error(`content ${name} is missing`);
  // Content that was looked at once is not looked at again.
  if (!reading.named.has(name) && sha256(body) !== name) throw new Error(`content ${name} was changed`);
  reading.named.add(name);
  return body;
}
