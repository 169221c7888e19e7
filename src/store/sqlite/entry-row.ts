/** Entries as rows, and the text that is hashed, which is made of a row and nothing else. */
import { attach, detach } from "../../core/content.ts";
import type { Content, Hasher } from "../../core/content.ts";
import { sha256 } from "../hash.ts";
import { shortBodies } from "./contents.ts";
import type { CommitEntry, Entry, InputEntry } from "../../core/entry.ts";

export interface EntryRow {
  readonly seq: number;
  readonly at: number;
  readonly epoch: number | null;
  readonly base: number | null;
  readonly step: number | null;
  readonly operation: string | null;
  readonly reason: string | null;
  readonly turnId: string | null;
  readonly stageBefore: string | null;
  readonly stageAfter: string | null;
  readonly body: string;
}

/** With the content that travels with it. */
export interface WholeRow extends EntryRow {
  readonly short: string | null;
}

export interface DetachedEntry {
  readonly row: EntryRow;
  readonly contents: readonly Content[];
}

export function detached(entry: Entry, hasher: Hasher): DetachedEntry {
  const { stored, contents } = detach(entry, hasher);
  if (entry.type === "input") {
    const body = JSON.stringify((stored as InputEntry).input);
    return { row: { ...NO_COMMIT, seq: entry.seq, at: entry.at, body }, contents };
  }
  const { seq, at, epoch, base, index, operation, reason, turn, from, to } = entry;
  const body = JSON.stringify((stored as CommitEntry).effects);
  return {
    row: {
      seq,
      at,
      epoch,
      base,
      step: index,
      operation,
      reason,
      turnId: turn,
      stageBefore: from,
      stageAfter: to,
      body,
    },
    contents,
  };
}

const NO_COMMIT = {
  epoch: null,
  base: null,
  step: null,
  operation: null,
  reason: null,
  turnId: null,
  stageBefore: null,
  stageAfter: null,
} as const;

/** Which columns of a commit the row of an input has: they are not hashed with it, and must be null. */
export function foreignColumns(row: EntryRow): readonly string[] {
  if (row.operation !== null) return [];
  return Object.keys(NO_COMMIT).filter((column) => row[column as keyof typeof NO_COMMIT] !== null);
}

/** The JSON of the entry, content replaced by hashes: its members in the order in which `detach` has them, the body last. */
export function entryText(row: EntryRow): string {
  const { seq, at, body } = row;
  if (row.operation === null) return withLast(JSON.stringify({ type: "input", seq, at }), "input", body);
  const { epoch, base, step, operation, reason, turnId, stageBefore, stageAfter } = row;
  const stage = { from: stageBefore, to: stageAfter };
  const others = { type: "commit", seq, at, epoch, base, index: step, operation, reason, turn: turnId, ...stage };
  return withLast(JSON.stringify(others), "effects", body);
}

/** The JSON of an object with one more member. */
function withLast(object: string, name: string, value: string): string {
  return `${object.slice(0, -1)},"${name}":${value}}`;
}

/** The whole entry; `longBody` gives the content that does not travel with it. Nothing is validated. */
export function entryOf(row: WholeRow, longBody: (hash: string) => string): Entry {
  const { seq, at } = row;
  const short = new Map(shortBodies(row.short).map((text) => [sha256(text), text]));
  const bodyOf = (hash: string): string => short.get(hash) ?? longBody(hash);
  const body = JSON.parse(row.body) as unknown;
  if (row.operation === null) return attach({ type: "input", seq, at, input: body }, bodyOf);
  const { epoch, base, step, operation, reason, turnId, stageBefore, stageAfter } = row;
  const stage = { from: stageBefore, to: stageAfter };
  return attach(
    { type: "commit", seq, at, epoch, base, index: step, operation, reason, turn: turnId, ...stage, effects: body },
    bodyOf,
  );
}
