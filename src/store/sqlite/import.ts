/** Imports a session in many short transactions: it stays hidden until the last one, so it appears whole or not at all. */
import { setImmediate as nextTick } from "node:timers/promises";
import type { RunResult } from "better-sqlite3";
import { BatchError, UsageError } from "../../core/error.ts";
import { emptySession } from "../../core/fold.ts";
import type { SessionId } from "../../core/ids.ts";
import { InvariantError } from "../../core/invariant.ts";
import type { Session } from "../../core/session.ts";
import type { Store } from "../../core/store.ts";
import { NO_HASH } from "../hash.ts";
import { replayed } from "../replay.ts";
import { badLine, headerLine, readExport } from "../transfer.ts";
import type { ExportLine } from "../transfer.ts";
import { createChunkWriter } from "./chunk-row.ts";
import { learn } from "./contents.ts";
import type { Known } from "./known.ts";
import type { StoreParts } from "./parts.ts";
import { placesAfter } from "./place.ts";
import type { Removal } from "./remove.ts";
import { createRowMaker } from "./session-row.ts";

type EntryLine = Extract<ExportLine, { type: "entry" }>;
type PieceLine = Extract<ExportLine, { type: "piece" }>;

/** Lines written in one transaction. */
const PAGE = 50;

export function createImport(parts: StoreParts, removal: Removal): Store["import"] {
  const writer = createImportWriter(parts);
  return async (lines, newId) => {
    await removal.clearAbandoned();
    const key = await writer.begin();
    try {
      const { header, session } = await readInto(key, lines, writer);
      if (headerLine(session.session) !== header.text) throw badLine(1, "it says otherwise than the entries");
      return await writer.publish({ key, session, newId });
    } catch (error) {
      await removal.clear(key);
      throw error;
    }
  };
}

/** Writes every line of an export under a hidden session. */
async function readInto(key: number, lines: AsyncIterable<string>, writer: ImportWriter) {
  let header: Extract<ExportLine, { type: "header" }> | undefined;
  let known: Known = { key, hash: NO_HASH, session: emptySession("import" as SessionId), contents: new Map() };
  let { session } = known;
  let page: EntryLine[] = [];
  const ends = new Map<string, number>();
  const flush = async (): Promise<void> => {
    if (page.length > 0) known = await writer.addEntries(known, session, page);
    page = [];
    await nextTick();
  };
  for await (const line of readExport(lines)) {
    if (line.type === "header") {
      header = line;
      session = emptySession(line.id);
      known = { ...known, session };
    } else if (line.type === "entry") {
      if (ends.size > 0) throw badLine(line.line, "an entry after an artifact");
      session = after(session, line);
      page.push(line);
      if (page.length === PAGE) await flush();
    } else {
      checkPiece(session, line, ends);
      await flush();
      await writer.addPiece(key, line);
    }
  }
  await flush();
  if (!header) throw badLine(1, "it is empty");
  if (session.seq === 0) throw badLine(2, "there is no entry");
  return { header, session };
}

function after(session: Session, { entry, line }: EntryLine): Session {
  try {
    return replayed(session, entry);
  } catch (error) {
    if (error instanceof InvariantError || error instanceof BatchError) throw badLine(line, error.message);
    throw error;
  }
}

function checkPiece(session: Session, { piece, line }: PieceLine, ends: Map<string, number>): void {
  const { artifact, start, text } = piece;
  if (!session.artifacts.get(artifact)) throw badLine(line, `no entry links artifact ${artifact}`);
  const end = ends.get(artifact) ?? 0;
  if (start !== end || text === "") throw badLine(line, `artifact ${artifact} goes on at ${end}, not at ${start}`);
  ends.set(artifact, end + text.length);
}

interface Publication {
  readonly key: number;
  readonly session: Session;
  readonly newId: () => SessionId;
}

interface ImportWriter {
  begin(): Promise<number>;
  addEntries(before: Known, session: Session, page: readonly EntryLine[]): Promise<Known>;
  addPiece(key: number, line: PieceLine): Promise<void>;
  publish(publication: Publication): Promise<SessionId>;
}

/** Another import or deletion has taken away, or is taking away, what this one wrote: it had written nothing for too long. */
function stillThere({ changes }: RunResult): void {
  if (changes !== 1) {
    throw new UsageError("the import stood still for so long that it was taken for abandoned: import the file again");
  }
}

function createImportWriter({ connection, save, loader, now }: StoreParts): ImportWriter {
  const { sqlite, write } = connection;
  const rows = createRowMaker(sqlite);
  const touch = sqlite.prepare<[number, number]>("update sessions set hidden_at = ? where key = ? and hidden_at > 0");
  const insertChunk = createChunkWriter(sqlite);
  const show = sqlite.prepare<[string, number]>(
    "update sessions set id = ?, hidden_at = null where key = ? and hidden_at > 0",
  );
  const setEpoch = sqlite.prepare("update leases set epoch = ? where session = ?");
  const setLengths = sqlite.prepare(
    `update artifacts set length = (select coalesce(sum(c.length), 0) from artifact_chunks c
      where c.session = ? and c.artifact = artifacts.id) where place > ? and place < ?`,
  );

  return {
    begin: () => write(() => rows.add(null, now())),
    addEntries: (before, session, page) =>
      write(
        () => {
          const saved = save(
            before,
            session,
            page.map(({ entry }) => entry),
          );
          const changed = page.find(({ hash }, at) => hash !== saved.hashes[at]);
          if (changed) throw badLine(changed.line, "it was changed: its hash differs");
          stillThere(touch.run(now(), before.key));
          return saved;
        },
        ({ learned }) => learn(before.contents, learned),
      ).then(({ known }) => known),
    addPiece: (key, { piece }) =>
      write(() => {
        insertChunk(key, piece);
        stillThere(touch.run(now(), key));
      }),
    publish: ({ key, session, newId }) =>
      write(() => {
        let { id } = session.session;
        while (loader.head(id)) id = newId();
        setLengths.run(key, ...placesAfter(key, 0));
        setEpoch.run(session.session.epoch, key);
        stillThere(show.run(id, key));
        return id;
      }),
  };
}
