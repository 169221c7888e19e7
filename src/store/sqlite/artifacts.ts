/** Artifacts: long output in pieces, written while a tool runs, linked by the commit of its result. */
import type { Database } from "better-sqlite3";
import type { SessionId } from "../../core/ids.ts";
import type { Artifacts as ArtifactsPort } from "../../core/store.ts";
import { createChunkWriter } from "./chunk-row.ts";
import { placesAfter } from "./place.ts";

export interface Artifacts extends ArtifactsPort {
  /** Writes what is still held back, inside the caller's transaction; the result is to be called once that is durable. */
  flush(id: SessionId, key: number): () => void;
  /** Takes away what no commit linked: whoever wrote it is gone. */
  sweep(id: SessionId, key: number): void;
}

/** UTF-16 units of a piece. */
const PIECE = 64 * 1024;

export function createArtifacts(sqlite: Database): Artifacts {
  const waiting = createWaiting();
  const rows = createChunkRows(sqlite);
  // All pieces or none: those that stayed in the file would be there twice once the text that waits is written.
  const addWhole = sqlite.transaction((key: number, artifact: string, text: string) => rows.add(key, artifact, text));

  return {
    write(id, ...[artifact, , text]) {
      const held = waiting.hold(id, artifact, text);
      if (held.length < PIECE) return;
      try {
        const key = rows.keyOf(id);
        if (key !== undefined) waiting.keep(id, artifact, addWhole(key, artifact, held));
      } catch {
        // Busy, full or closed: the text waits for the next piece, or for the commit, which can say what is wrong.
      }
    },
    read(id, ...[artifact, offset, limit]) {
      const key = rows.keyOf(id);
      if (key === undefined) return undefined;
      const start = rows.size(key, artifact);
      const held = waiting.of(id).get(artifact) ?? "";
      if (start + held.length === 0) return undefined;
      const pieces = [...rows.overlapping(key, artifact, [offset, offset + limit]), { start, text: held }];
      const cut = pieces.map((piece) => {
        const [from, to] = [offset - piece.start, offset + limit - piece.start];
        return to <= 0 ? "" : piece.text.slice(Math.max(0, from), to);
      });
      return { text: cut.join(""), size: start + held.length };
    },
    flush(id, key) {
      const rests = [...waiting.of(id)].map(([artifact, text]) => [artifact, rows.add(key, artifact, text)] as const);
      return () => {
        for (const [artifact, rest] of rests) waiting.keep(id, artifact, rest);
      };
    },
    sweep(id, key) {
      waiting.drop(id);
      rows.sweep(key);
    },
  };
}

/** Text that is not in the file yet, by session and artifact. */
function createWaiting() {
  const texts = new Map<SessionId, Map<string, string>>();
  const keep = (id: SessionId, artifact: string, text: string): void => {
    const ofSession = texts.get(id) ?? new Map<string, string>();
    if (text === "") ofSession.delete(artifact);
    else ofSession.set(artifact, text);
    if (ofSession.size === 0) texts.delete(id);
    else texts.set(id, ofSession);
  };
  const of = (id: SessionId): ReadonlyMap<string, string> => texts.get(id) ?? new Map<string, string>();
  return {
    of,
    keep,
    /** Adds to what is held and gives all of it. */
    hold(id: SessionId, artifact: string, text: string): string {
      const held = (of(id).get(artifact) ?? "") + text;
      keep(id, artifact, held);
      return held;
    },
    drop: (id: SessionId) => texts.delete(id),
  };
}

function createChunkRows(sqlite: Database) {
  const keyOf = sqlite.prepare<[string], number>("select key from sessions where id = ?").pluck();
  const insert = createChunkWriter(sqlite);
  const end = sqlite
    .prepare<[number, string], number | null>(
      "select max(start + length) from artifact_chunks where session = ? and artifact = ?",
    )
    .pluck();
  const overlapping = sqlite.prepare<[number, string, number, number], { start: number; text: string }>(
    `select start, text from artifact_chunks
      where session = ? and artifact = ? and start + length > ? and start < ? order by start`,
  );
  const sweep = sqlite.prepare<[number, number, number]>(
    `delete from artifact_chunks where session = ?
      and artifact not in (select id from artifacts where place > ? and place < ?)`,
  );
  const size = (key: number, artifact: string): number => end.get(key, artifact) ?? 0;

  return {
    size,
    keyOf: (id: SessionId): number | undefined => keyOf.get(id),
    overlapping: (key: number, artifact: string, [from, to]: readonly [number, number]) =>
      overlapping.all(key, artifact, from, to),
    sweep: (key: number): void => {
      sweep.run(key, ...placesAfter(key, 0));
    },
    /** Appends text in pieces and gives back what must wait for the next: half of a character that two units make. */
    add(key: number, artifact: string, text: string): string {
      let start = size(key, artifact);
      let rest = text;
      while (rest.length > 0) {
        const cut = wholeCharacters(rest, PIECE);
        if (cut === 0) return rest;
        insert(key, { artifact, start, text: rest.slice(0, cut) });
        start += cut;
        rest = rest.slice(cut);
      }
      return "";
    },
  };
}

/** How many units at the beginning of a text, at most `limit`, cut no character in two. */
function wholeCharacters(text: string, limit: number): number {
  const length = Math.min(text.length, limit);
  return /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length;
}
