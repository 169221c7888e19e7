/** Leases: one owner at a time, taken over when it is gone or silent, with an epoch that never falls. */
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/ids.ts";
import { LEASE_MS } from "../../src/core/store.ts";
import { AT, SESSION, acquired, created, draft, newPath, openStore, owner } from "./kit.ts";

async function withSession(options = {}) {
  const path = newPath();
  const store = await openStore(path, options);
  await store.create(SESSION, draft(created()));
  return { path, store };
}

test("a held session is not given to another, who learns by whom and how long", async () => {
  const { path, store } = await withSession();
  await acquired(store, "one");
  const other = await openStore(path);
  const holder = { owner: owner("one"), expiresAt: AT + LEASE_MS };
  expect(await other.acquire(SESSION, owner("two"), AT + 1)).toEqual({ status: "held", holder });
  expect(await other.holder(SESSION)).toEqual(holder);
  expect((await other.list())[0]?.holder).toEqual(holder);
});

test("the heartbeat prolongs a lease; a silent owner is replaced when it has run out", async () => {
  const { store } = await withSession();
  const lease = await acquired(store, "one");
  expect(await store.renew(lease, AT + 4_000)).toBe(true);
  expect((await store.acquire(SESSION, owner("two"), AT + 6_000)).status).toBe("held");
  expect((await store.acquire(SESSION, owner("two"), AT + 9_000)).status).toBe("acquired");
  expect(await store.renew(lease, AT + 9_001)).toBe(false);
});

test("an owner that is gone from this host is replaced at once", async () => {
  const { store } = await withSession({ isGone: ({ id }: { id: string }) => id === "killed" });
  const first = await acquired(store, "killed");
  expect(await store.holder(SESSION)).toBeUndefined();
  const second = await acquired(store, "two", AT + 1);
  expect(second.epoch).toBeGreaterThan(first.epoch);
});

test("the epoch rises with every owner, also after a release", async () => {
  const { store } = await withSession();
  const epochs: number[] = [];
  for (const who of ["one", "two", "one"]) {
    const lease = await acquired(store, who);
    epochs.push(lease.epoch);
    await store.release(lease);
    expect(await store.holder(SESSION)).toBeUndefined();
  }
  expect(epochs).toEqual([1, 2, 3]);
});

test("a late release by an owner that was replaced takes nothing from its successor", async () => {
  const { store } = await withSession();
  const old = await acquired(store, "one");
  await acquired(store, "two", AT + LEASE_MS);
  await store.release(old);
  expect((await store.holder(SESSION))?.owner.id).toBe("two");
});

test("of many processes that want a session at once, one gets it", async () => {
  const { path } = await withSession();
  const stores = await Promise.all(["a", "b", "c", "d"].map(() => openStore(path)));
  const results = await Promise.all(stores.map((store, at) => store.acquire(SESSION, owner(`o${at}`), AT)));
  expect(results.filter(({ status }) => status === "acquired")).toHaveLength(1);
});

test("there is no lease of a session that does not exist", async () => {
  const { store } = await withSession();
  await expect(store.acquire("none" as SessionId, owner("one"), AT)).rejects.toThrow("there is no session none");
});
