/** Compares the rows of a session's projection with what its journal says. */
import type { InputEntry } from "../../core/entry.ts";
import { wordsOf } from "../../core/error.ts";
import { targetOf } from "../../core/input.ts";
import { canonicalJson } from "../../core/json.ts";
import type { Session } from "../../core/session.ts";
import type { Damage } from "../../core/store.ts";
import { sha256 } from "../hash.ts";
import { hashText } from "./contents.ts";
import type { Known } from "./known.ts";
import type { Loader } from "./load.ts";
import type { JournalReading } from "./verify-journal.ts";
import { messageRow } from "./message-row.ts";
import { placeOf, placesAfter } from "./place.ts";
import { HEAD_COLUMNS, headColumns } from "./save.ts";
import type { StoreParts } from "./parts.ts";

/** Gives what is wrong with the rows of a session whose journal was read to its end and folded. */
export type CheckRows = (key: number, reading: JournalReading, session: Session) => readonly Damage[];

export function createRowChecks(parts: StoreParts): CheckRows {
  const checks = [
    firstOf(createProjectionCheck(parts.loader), createPlaceCheck(parts)),
    createHeadCheck(parts),
    createInputCheck(parts),
    createContentCheck(parts),
    createArtifactCheck(parts),
  ];
  return (key, reading, session) => checks.flatMap((check) => check(key, reading, session));
}

/** The second looks only at what the first finds to be right, so that nothing is told twice. */
function firstOf(first: CheckRows, second: CheckRows): CheckRows {
  return (...args) => {
    const found = first(...args);
    return found.length > 0 ? found : second(...args);
  };
}

const damage = (problem: string, seq?: number): Damage => ({ seq, problem });
const differ = (one: unknown, other: unknown): boolean => canonicalJson(one) !== canonicalJson(other);

/** What a session is made of, as lists of things with a name and, where there is one, the entry they came with. */
function facts(session: Session): ReadonlyMap<string, { readonly seq?: number; readonly value: unknown }> {
  const { turn, inputs, questions, timers, notes, usage } = session;
  const slices = { session: session.session, turn, inputs, questions, timers, notes, usage };
  return new Map<string, { readonly seq?: number; readonly value: unknown }>([
    ...Object.entries(slices).map(([name, value]) => [`the slice ${name}`, { value }] as const),
    ...[...session.messages].map(
      (message, n) => [`message number ${n + 1}`, { seq: message.seq, value: message }] as const,
    ),
    ...[...session.calls.settled].map((call, n) => [`settled call number ${n + 1}`, { value: call }] as const),
    ...[...session.calls.open.values()].map((call, n) => [`open call number ${n + 1}`, { value: call }] as const),
    ...[...session.artifacts].map((link, n) => [`artifact number ${n + 1}`, { value: link }] as const),
  ]);
}

function createProjectionCheck(loader: Loader): CheckRows {
  const stored = (known: Known): ReturnType<typeof facts> => facts(known.session);
  return (_key, { seq, hash }, session) => {
    const head = loader.head(session.session.id);
    if (head?.seq !== seq || hashText(head.hash) !== hash) {
      return [damage(`the head is at entry ${head?.seq}, or has another hash than entry ${seq}, which is the last`)];
    }
    try {
      const [said, found] = [facts(session), stored(loader.cold(session.session.id, head))];
      const names = new Set([...said.keys(), ...found.keys()]);
      return [...names].flatMap((name) => {
        const [is, has] = [said.get(name), found.get(name)];
        if (!differ(is?.value ?? null, has?.value ?? null)) return [];
        return [damage(`the rows have ${name} otherwise than the journal`, is?.seq ?? has?.seq)];
      });
    } catch (error) {
      return [damage(`the rows cannot be read: ${wordsOf(error)}`)];
    }
  };
}

/** Of the logs, whose rows are read in order: that each is at its number, where the next commit counts on it. */
function createPlaceCheck({ connection: { sqlite } }: StoreParts): CheckRows {
  const messages = sqlite
    .prepare<[number, number], unknown[]>(
      `select place, id, seq, turn_id, kind, audience, created_at, author
        from messages where place > ? and place < ? order by place`,
    )
    .raw();
  const calls = sqlite.prepare<[number], unknown[]>("select n, id from calls where session = ? order by n").raw();
  const artifacts = sqlite
    .prepare<[number, number], unknown[]>(
      "select place, id, call_id from artifacts where place > ? and place < ? order by place",
    )
    .raw();
  return (key, _reading, session) => {
    const places = placesAfter(key, 0);
    const settled = [...session.calls.settled].map(({ id }, n) => [n, id]);
    const links = [...session.artifacts].map(({ id, callId }, n) => [placeOf(key, n + 1), id, callId]);
    const told = [...session.messages].map((message, n) => [
      placeOf(key, n + 1),
      ...messageRow(message, 0).slice(0, -1),
    ]);
    return [
      ...misplaced("message", told, messages.all(...places)).map(([problem, n]) =>
        damage(problem, session.messages.at(n)?.seq),
      ),
      ...misplaced("settled call", settled, calls.all(key)).map(([problem]) => damage(problem)),
      ...misplaced("artifact", links, artifacts.all(...places)).map(([problem]) => damage(problem)),
    ];
  };
}

function misplaced(
  what: string,
  said: readonly unknown[],
  found: readonly unknown[],
): readonly (readonly [problem: string, n: number])[] {
  return said.flatMap((row, n) =>
    differ(row, found[n] ?? null)
      ? [[`the row of ${what} number ${n + 1} is not in its place, or differs from the journal`, n] as const]
      : [],
  );
}

function createHeadCheck({ connection }: StoreParts): CheckRows {
  const columns = connection.sqlite
    .prepare<[number], unknown[]>(`select ${HEAD_COLUMNS.join(", ")} from sessions where key = ?`)
    .raw();
  const epochOf = connection.sqlite.prepare<[number], number>("select epoch from leases where session = ?").pluck();
  return (key, reading, session) => {
    const known = { key, hash: reading.hash, session, contents: new Map<string, number>() };
    const stored = columns.get(key) ?? [];
    const changed = headColumns(known, reading.at).flatMap((value, at) =>
      differ(value, stored[at]) ? [damage(`the head has another ${HEAD_COLUMNS[at]} than the journal`)] : [],
    );
    const epoch = epochOf.get(key);
    return epoch !== undefined && epoch >= session.session.epoch
      ? changed
      : [...changed, damage(`the lease is at epoch ${epoch}, and entries have epoch ${session.session.epoch}`)];
  };
}

function createInputCheck({ connection }: StoreParts): CheckRows {
  const rows = connection.sqlite.prepare<[number]>(
    "select id, seq, target from inputs where session = ? order by seq, id",
  );
  const row = ({ seq, input }: InputEntry) => ({ id: input.id, seq, target: targetOf(input) ?? null });
  return (key, { inputs }) =>
    differ(rows.all(key), inputs.map(row)) ? [damage("the list of inputs differs from the inputs of the journal")] : [];
}

/** Content of no entry; what entries name was looked at with them. */
function createContentCheck({ connection }: StoreParts): CheckRows {
  const hashes = connection.sqlite.prepare<[number], Buffer>("select hash from contents where session = ?").pluck();
  return (key, { named }) =>
    hashes
      .all(key)
      .map(hashText)
      .filter((hash) => !named.has(hash))
      .map((hash) => damage(`no entry names content ${hash}`));
}

interface Piece {
  readonly start: number;
  readonly length: number;
  readonly text: string;
  readonly hash: Buffer;
}

function createArtifactCheck({ connection }: StoreParts): CheckRows {
  const links = connection.sqlite.prepare<[number, number], { id: string; length: number }>(
    "select id, length from artifacts where place > ? and place < ? order by place",
  );
  const pieces = connection.sqlite.prepare<[number, string], Piece>(
    "select start, length, text, hash from artifact_chunks where session = ? and artifact = ? order by start",
  );
  return (key) =>
    links.all(...placesAfter(key, 0)).flatMap(({ id, length }) => {
      let end = 0;
      for (const piece of pieces.iterate(key, id)) {
        const { text, hash } = piece;
        const intact = piece.start === end && piece.length === text.length && sha256(text) === hashText(hash);
        if (!intact) return [damage(`artifact ${id} was changed near unit ${piece.start}`)];
        end += text.length;
      }
      return end === length ? [] : [damage(`artifact ${id} has ${end} units of text, and had ${length}`)];
    });
}
