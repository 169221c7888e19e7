/** Exports a session as it stands when the export begins, page by page. */
import { StoreError, UsageError } from "../../core/error.ts";
import type { SessionId } from "../../core/ids.ts";
import { entryLine, headerLine, pieceLine, withTrailer } from "../transfer.ts";
import type { Piece } from "../transfer.ts";
import { hashText } from "./contents.ts";
import { entryOf } from "./entry-row.ts";
import type { Known } from "./known.ts";
import type { StoreParts } from "./parts.ts";

/** Entries read at once. */
const PAGE = 100;

export function createExport(parts: StoreParts): (id: SessionId) => AsyncGenerator<string, void, void> {
  const { connection, loader } = parts;
  const linesOf = createLines(parts);
  return async function* exported(id) {
    const known = await connection.read(() => loader.current(id));
    if (!known) throw new UsageError(`there is no session ${id}`);
    yield* withTrailer(linesOf(known), known.session.seq);
  };
}

function createLines({ connection, loader, contents }: StoreParts) {
  const pieceAfter = connection.sqlite.prepare<[number, string, number], Piece>(
    `select artifact, start, text from artifact_chunks
      where session = ? and artifact = ? and start >= ? order by start limit 1`,
  );

  const pageOf = (key: number, after: number, limit: number): readonly string[] =>
    loader.rows(key, after, limit).map((row) =>
      entryLine(
        entryOf(row, (hash) => contents.bodyOf(key, hash)),
        hashText(row.hash),
      ),
    );

  return async function* lines({ key, session }: Known): AsyncGenerator<string, void, void> {
    yield headerLine(session.session);
    for (let after = 0; after < session.seq; after += PAGE) {
      const limit = Math.min(PAGE, session.seq - after);
      const page = await connection.read(() => pageOf(key, after, limit));
      if (page.length < limit) {
        throw new StoreError(`${connection.path} lacks entries of session ${session.session.id}: verify it`);
      }
      yield* page;
    }
    for (const { id } of session.artifacts) {
      for (let start = 0; ;) {
        const from = start;
        const piece = await connection.read(() => pieceAfter.get(key, id, from));
        if (!piece) break;
        yield pieceLine(piece);
        start = piece.start + piece.text.length;
      }
    }
  };
}
