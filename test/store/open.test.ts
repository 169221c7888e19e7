/** Opening: a file is made, migrated or refused with the reason and the next move; what is refused is left as it was. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { storeFailure } from "../../src/store/sqlite/failure.ts";
import { AT, SESSION, created, draft, loaded, newFolder, newPath, openStore, prompt, wholeSession } from "./kit.ts";

const refusal = (problem: RegExp) => ({ name: "StoreError", message: expect.stringMatching(problem) as string });

test("a missing folder is made, and the file is for its owner only", async () => {
  const path = join(newFolder(), "deep", "down", "sessions.db");
  const store = await openStore(path);
  await store.create(SESSION, draft(created()));
  expect([path, `${path}-wal`, dirname(path)].map((made) => statSync(made).mode & 0o777)).toEqual([
    0o600, 0o600, 0o700,
  ]);
});

test("a closed store leaves one file, and says that it is closed when it is used again", async () => {
  const path = newPath();
  const store = await openStore(path);
  await store.create(SESSION, draft(created()));
  await store.close();
  await store.close();
  expect([existsSync(path), existsSync(`${path}-wal`)]).toEqual([true, false]);
  await expect(store.load(SESSION)).rejects.toMatchObject(refusal(/was closed by this process/));
  await expect(store.append(SESSION, prompt("i"), AT)).rejects.toMatchObject(refusal(/was closed by this process/));
});

test("many processes that open a new file at once all get the same tables", async () => {
  for (let round = 0; round < 5; round += 1) {
    const path = newPath();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(path)));
    await stores[0]?.create(SESSION, draft(created()));
    for (const store of stores) expect((await loaded(store)).seq).toBe(1);
  }
});

test("the file of another program is refused and not touched", async () => {
  const path = newPath();
  const foreign = new Sqlite(path);
  foreign.exec("create table notes (text)");
  foreign.close();
  const before = readFileSync(path);
  await expect(openStore(path)).rejects.toMatchObject(refusal(/database of another program: nothing was changed/));
  expect(readFileSync(path)).toEqual(before);
});

test("a file of a newer version is refused and not touched", async () => {
  const path = newPath();
  await (await openStore(path)).close();
  const newer = new Sqlite(path);
  newer.exec("insert into __drizzle_migrations (hash, created_at) values ('from the future', 9)");
  newer.close();
  const before = readFileSync(path);
  await expect(openStore(path)).rejects.toMatchObject(refusal(/newer version of dacapo: nothing was changed/));
  expect(readFileSync(path)).toEqual(before);
});

test("a file that is no database is refused and not touched", async () => {
  const path = newPath();
  writeFileSync(
    path,
    "these are my notes, and they are long enough to be taken for a header of something\n".repeat(20),
  );
  const before = readFileSync(path);
  await expect(openStore(path)).rejects.toMatchObject(refusal(/not a dacapo database, or is damaged/));
  expect(readFileSync(path)).toEqual(before);
});

test("damage in the middle of a file is named as such when it is met", async () => {
  const path = newPath();
  const store = await openStore(path);
  await wholeSession(store, "x".repeat(300_000));
  await store.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 4_096, bytes.length - 4_096);
  writeFileSync(path, bytes);
  const use = openStore(path).then((opened) => opened.verify(SESSION));
  await expect(use).rejects.toMatchObject(refusal(/is damaged: keep a copy of it/));
});

test("a path that cannot hold a file is refused by name", async () => {
  const folder = newFolder();
  await expect(openStore(folder)).rejects.toMatchObject(refusal(new RegExp(`^${folder} cannot be opened`)));
  writeFileSync(join(folder, "file"), "");
  await expect(openStore(join(folder, "file", "x.db"))).rejects.toMatchObject(refusal(/cannot be opened/));
  await expect(openStore("/proc/none/x.db")).rejects.toMatchObject(refusal(/^\/proc\/none\/x\.db /));
});

test.skipIf(process.getuid?.() === 0)("a file or a folder that may not be written is refused", async () => {
  const path = newPath();
  await (await openStore(path)).close();
  chmodSync(path, 0o400);
  await expect(openStore(path)).rejects.toMatchObject(refusal(/cannot be written: nothing was changed/));
  const folder = join(newFolder(), "closed");
  mkdirSync(folder, { mode: 0o500 });
  await expect(openStore(join(folder, "x.db"))).rejects.toMatchObject(
    refusal(/cannot be written: nothing was changed/),
  );
});

test("a file that another program keeps locked is waited for, then reported; nothing is lost", async () => {
  const path = newPath();
  const store = await openStore(path, { patienceMs: 100 });
  await store.create(SESSION, draft(created()));
  const blocker = new Sqlite(path);
  blocker.exec("begin immediate");
  await expect(store.append(SESSION, prompt("i"), AT)).rejects.toMatchObject(refusal(/is locked by another program/));
  expect((await loaded(store)).seq).toBe(1);
  const waiting = store.append(SESSION, prompt("i"), AT);
  blocker.exec("rollback");
  blocker.close();
  expect((await waiting).seq).toBe(2);
});

test("a new file that another program keeps locked is waited for, then reported", async () => {
  const path = newPath();
  const blocker = new Sqlite(path);
  blocker.exec("begin exclusive");
  await expect(openStore(path, { patienceMs: 50 })).rejects.toMatchObject(refusal(/is locked by another program/));
  const waiting = openStore(path);
  setTimeout(() => blocker.close(), 60);
  await (await waiting).create(SESSION, draft(created()));
});

test("a full disk is reported with the file and the next move", () => {
  const path = newPath();
  const small = new Sqlite(path);
  small.pragma("max_page_count = 3");
  small.exec("create table t (x)");
  const fill = () => small.prepare("insert into t values (zeroblob(100000))").run();
  expect(fill).toThrow();
  try {
    fill();
  } catch (error) {
    expect(storeFailure(path, error)).toMatchObject(refusal(/on a disk that is full: .* make room/));
  }
  small.close();
});

test("opening, reading and closing wait for no writer, and what waits to be written is written before the end", async () => {
  const path = newPath();
  const first = await openStore(path);
  await wholeSession(first);
  const writer = new Sqlite(path);
  writer.exec("begin immediate; update sessions set title = 'half'");
  // Who waits here waits until the test fails.
  const reader = await openStore(path, { patienceMs: 600_000 });
  expect((await reader.list())[0]?.title).toBe("a title");
  expect((await loaded(reader)).seq).toBe(12);
  expect(await reader.verify(SESSION)).toEqual([]);
  await reader.close();

  const late = await openStore(path);
  await late.load(SESSION);
  const appended = late.append(SESSION, prompt("late"), AT);
  const closed = late.close();
  setImmediate(() => writer.exec("rollback"));
  await Promise.all([appended, closed]);
  writer.close();
  expect((await loaded(first)).seq).toBe(13);
});
