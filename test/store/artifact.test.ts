/** Artifacts: long output in pieces, kept once a commit links it. */
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { ArtifactId, CallId } from "../../src/core/ids.ts";
import { StoreError } from "../../src/core/error.ts";
import {
  AT,
  SESSION,
  acquired,
  commit,
  created,
  draft,
  loaded,
  newPath,
  openStore,
  said,
  started,
  wholeSession,
} from "./kit.ts";

const id = "a" as ArtifactId;
const call = "c" as CallId;

test("any piece of an artifact can be read, also while it is being written and from another process afterwards", async () => {
  const path = newPath();
  const store = await openStore(path);
  await store.create(SESSION, draft(created()));
  await acquired(store);
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`);
  for (const line of lines) store.artifacts.write(SESSION, id, call, line);
  const text = lines.join("");
  for (const [offset, limit] of [
    [0, 10],
    [65_530, 20],
    [text.length - 5, 100],
    [text.length + 5, 10],
    [100_000, 100_000],
  ] as const) {
    expect(store.artifacts.read(SESSION, id, offset, limit)).toEqual({
      text: text.slice(offset, offset + limit),
      size: text.length,
    });
  }
  expect(store.artifacts.read(SESSION, "none", 0, 10)).toBeUndefined();
});

test("an artifact that a commit linked is there for another process", async () => {
  const path = newPath();
  const output = "0123456789".repeat(20_000);
  await wholeSession(await openStore(path), output);
  const other = await openStore(path);
  await acquired(other, "two", AT + 60_000);
  expect(other.artifacts.read(SESSION, id, 150_000, 20)).toEqual({ text: "01234567890123456789", size: 200_000 });
  expect([...(await loaded(other)).artifacts]).toEqual([{ id: "a", callId: "c" }]);
  expect(await other.verify(SESSION)).toEqual([]);
});

test("what no commit linked is swept when the next owner takes the session", async () => {
  const path = newPath();
  const store = await openStore(path);
  await wholeSession(store);
  store.artifacts.write(SESSION, "lost" as ArtifactId, call, "x".repeat(100_000));
  const other = await openStore(path);
  expect(other.artifacts.read(SESSION, "lost", 0, 1)?.size).toBe(100_000);
  await acquired(other, "two", AT + 60_000);
  expect(other.artifacts.read(SESSION, "lost", 0, 1)).toBeUndefined();
  expect(other.artifacts.read(SESSION, id, 0, 6)?.text).toBe("a long");
});

test("a character cut in two between writes is whole in the file", async () => {
  const path = newPath();
  const store = await openStore(path);
  await store.create(SESSION, draft(created()));
  store.artifacts.write(SESSION, id, call, `${"x".repeat(65_535)}\uD83D`);
  store.artifacts.write(SESSION, id, call, `\uDE00${"y".repeat(70_000)}`);
  const rows = new Sqlite(path, { readonly: true });
  const text = rows.prepare("select group_concat(text, '') from artifact_chunks order by start").pluck().get();
  rows.close();
  expect(text).toBe(`${"x".repeat(65_535)}😀${"y".repeat(70_000)}`);
});

test("text that cannot be written because another process is writing waits in memory and is not lost", async () => {
  const path = newPath();
  const store = await openStore(path);
  await store.create(SESSION, draft(created()));
  const blocker = new Sqlite(path);
  blocker.exec("begin immediate");
  store.artifacts.write(SESSION, id, call, "x".repeat(70_000));
  expect(store.artifacts.read(SESSION, id, 69_999, 9)).toEqual({ text: "x", size: 70_000 });
  blocker.exec("rollback");
  blocker.close();
  store.artifacts.write(SESSION, id, call, "y");
  expect(store.artifacts.read(SESSION, id, 69_999, 9)).toEqual({ text: "xy", size: 70_001 });
});

test("text that the file does not take throws at nobody who prints: the commit fails, and nothing is lost or there twice", async () => {
  const path = newPath();
  const store = await openStore(path);
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  const other = new Sqlite(path);
  other.exec(`create trigger refuse before insert on artifact_chunks when new.start > 0
    begin select raise(fail, 'no room'); end`);
  const text = "0123456789".repeat(20_000);
  store.artifacts.write(SESSION, id, call, text);
  await expect(commit(store, lease, [started("t")])).rejects.toThrow(StoreError);
  other.exec("drop trigger refuse");
  other.close();
  await commit(store, lease, [started("t")], [said("m", "hi")]);
  expect(store.artifacts.read(SESSION, id, 0, 300_000)).toEqual({ text, size: text.length });
});

test("what a process still prints when the store is closed is nobody's error", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  await store.close();
  expect(() => store.artifacts.write(SESSION, id, call, "x".repeat(100_000))).not.toThrow();
});
