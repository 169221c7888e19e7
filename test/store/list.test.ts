/** Lists and deletion. */
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/ids.ts";
import {
  AT,
  SESSION,
  commit,
  created,
  draft,
  newPath,
  openStore,
  owner,
  prompt,
  said,
  sessionThatAsks,
  wholeSession,
} from "./kit.ts";

test("the list shows how each session stands, the newest first", async () => {
  const store = await openStore(newPath());
  const lease = await wholeSession(store);
  await store.release(lease);
  await store.create("later" as SessionId, { ...draft(created()), at: AT + 100 });
  const list = await store.list();
  expect(list.map(({ id }) => id)).toEqual(["later", "s"]);
  expect(list[1]).toEqual({
    id: "s",
    title: "a title",
    workspace: "/project",
    model: "demo/echo",
    seq: 12,
    lifecycle: "ended",
    outcome: { status: "completed" },
    createdAt: new Date(AT).toISOString(),
    updatedAt: new Date(AT + 50).toISOString(),
    cost: 0.25,
    holder: undefined,
  });
  expect(list[0]).toMatchObject({ title: undefined, lifecycle: "new", outcome: undefined, cost: 0 });
});

test("a list can be narrowed to ids with a prefix, to a workspace, and to a number", async () => {
  const store = await openStore(newPath());
  const create = (id: string, workspace: string) =>
    store.create(id as SessionId, draft(created().map((effect) => ({ ...effect, workspace }) as typeof effect)));
  await create("ab_1", "/x");
  await create("abc2", "/y");
  await create("b", "/x");
  const ids = async (filter: object) => (await store.list(filter)).map(({ id }) => id);
  expect(await ids({ prefix: "ab" })).toEqual(["abc2", "ab_1"]);
  expect(await ids({ prefix: "ab_" })).toEqual(["ab_1"]);
  expect(await ids({ workspace: "/x" })).toEqual(["b", "ab_1"]);
  expect(await ids({ limit: 1 })).toEqual(["b"]);
});

test("a session that waits says so in the list", async () => {
  const store = await openStore(newPath());
  await sessionThatAsks(store);
  expect(await store.list()).toMatchObject([
    { lifecycle: "awaiting_approval", outcome: { status: "awaiting_approval" } },
  ]);
});

test("a held session is not deleted; a free one goes with all of its rows and nobody else's", async () => {
  const path = newPath();
  const store = await openStore(path);
  const lease = await wholeSession(store);
  const other = "other" as SessionId;
  await store.create(other, draft(created()));
  await store.append(other, prompt("i"), AT);
  await expect(store.delete(SESSION, AT)).rejects.toThrow("session s is held by process 1 on here: end it first");
  await store.release(lease);
  await store.delete(SESSION, AT);
  expect(await store.load(SESSION)).toBeUndefined();
  expect(await store.verify(other)).toEqual([]);
  const rows = new Sqlite(path, { readonly: true });
  const count = (table: string) => rows.prepare(`select count(*) from ${table}`).pluck().get();
  const tables = [
    "sessions",
    "leases",
    "entries",
    "contents",
    "messages",
    "calls",
    "inputs",
    "artifacts",
    "artifact_chunks",
  ];
  expect(tables.map(count)).toEqual([1, 1, 2, 0, 0, 0, 1, 0, 0]);
  rows.close();
  await expect(store.delete(SESSION, AT)).rejects.toThrow("there is no session s");
});

test("a session with many rows is deleted in pieces, and a new one may have its id", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const acquired = await store.acquire(SESSION, owner("one"), AT);
  const lease = acquired.status === "acquired" ? acquired.lease : expect.unreachable();
  const notices = Array.from({ length: 2_500 }, (_, n) => said(`m${n}`, `notice ${n}`));
  await commit(store, lease, notices);
  await store.release(lease);
  await store.delete(SESSION, AT);
  await store.create(SESSION, draft(created()));
  expect((await store.load(SESSION))?.messages.length).toBe(0);
  expect(await store.verify(SESSION)).toEqual([]);
});
