/** The floor: better-sqlite3 alone. A round is two transactions, each a message, a step and a new version of the session. */
import Sqlite from "better-sqlite3";
import type { Durability } from "./engine.ts";

export interface Floor {
  /** One transaction of one session. */
  write(session: number): void;
  /** One transaction in which each of the sessions writes. */
  writeAll(sessions: readonly number[]): void;
  /** Reads and parses everything of a session, as a cold open must; gives how many messages there were. */
  load(session: number): number;
  count(): { readonly sessions: number; readonly messages: number; readonly steps: number; readonly versions: number };
  close(): void;
}

const TABLES = `
  create table if not exists sessions (id integer primary key, version integer not null);
  create table if not exists messages (session integer not null, seq integer not null, body text not null, primary key (session, seq));
  create table if not exists steps (session integer not null, seq integer not null, operation text not null, at integer not null,
    primary key (session, seq))`;

export function openFloor(path: string, durability: Durability): Floor {
  const sqlite = new Sqlite(path);
  sqlite.pragma("journal_mode = wal");
  sqlite.pragma(`synchronous = ${durability}`);
  sqlite.exec(TABLES);
  const versionOf = sqlite.prepare<[number], number>("select version from sessions where id = ?").pluck();
  const bump = sqlite.prepare<[number, number]>(
    "insert into sessions (id, version) values (?, ?) on conflict do update set version = excluded.version",
  );
  const message = sqlite.prepare<[number, number, string]>(
    "insert into messages (session, seq, body) values (?, ?, ?)",
  );
  const step = sqlite.prepare<[number, number, string, number]>(
    "insert into steps (session, seq, operation, at) values (?, ?, ?, ?)",
  );
  const bodies = sqlite.prepare<[number], string>("select body from messages where session = ? order by seq").pluck();
  const insert = (session: number): void => {
    const seq = (versionOf.get(session) ?? 0) + 1;
    message.run(session, seq, body(seq));
    step.run(session, seq, seq % 2 === 0 ? "tool" : "inference", Date.now());
    bump.run(session, seq);
  };
  const write = sqlite.transaction(insert);
  const writeAll = sqlite.transaction((sessions: readonly number[]) => sessions.forEach(insert));
  const count = (what: string): number => sqlite.prepare<[], number>(`select ${what}`).pluck().get() ?? 0;
  return {
    write: (session) => write.immediate(session),
    writeAll: (sessions) => writeAll.immediate(sessions),
    load: (session) => bodies.all(session).map((text) => JSON.parse(text) as unknown).length,
    count: () => ({
      sessions: count("count(*) from sessions"),
      messages: count("count(*) from messages"),
      steps: count("count(*) from steps"),
      versions: count("total(version) from sessions"),
    }),
    close() {
      sqlite.pragma("wal_checkpoint(truncate)");
      sqlite.close();
    },
  };
}

const PADDING = "x".repeat(160);

/** About 300 bytes of JSON. */
function body(seq: number): string {
  return JSON.stringify({
    id: `message-${seq}`,
    role: seq % 2 === 0 ? "tool" : "assistant",
    parts: [{ type: "call", id: `call-${seq}`, tool: "add", args: { a: seq, b: 1 }, text: PADDING }],
    createdAt: Date.now(),
  });
}
