/** The row of one piece of an artifact. */
import type { Database } from "better-sqlite3";
import { sha256 } from "../hash.ts";
import { bytesOf } from "./contents.ts";

/** `start` is in UTF-16 units of the whole text. */
export interface Chunk {
  readonly artifact: string;
  readonly start: number;
  readonly text: string;
}

/** Adds a piece to an artifact of a session. */
export function createChunkWriter(sqlite: Database): (key: number, chunk: Chunk) => void {
  const insert = sqlite.prepare<[number, string, number, number, string, Buffer]>(
    "insert into artifact_chunks (session, artifact, start, length, text, hash) values (?, ?, ?, ?, ?, ?)",
  );
  return (key, { artifact, start, text }) => {
    insert.run(key, artifact, start, text.length, text, bytesOf(sha256(text)));
  };
}
