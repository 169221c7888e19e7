/** The live row: only what a living owner runs just now is ever shown. */
import { expect, test } from "vitest";
import type { CallId } from "../../src/core/ids.ts";
import type { LiveDraft } from "../../src/core/live-draft.ts";
import { LEASE_MS } from "../../src/core/store.ts";
import { AT, SESSION, acquired, commit, created, draft, newPath, openStore, started } from "./kit.ts";

const running = (tail: string): LiveDraft => ({ reply: null, calls: [{ callId: "c" as CallId, tail }] });

test("what runs is seen by another process until the next commit", async () => {
  const path = newPath();
  const [mine, other] = [await openStore(path), await openStore(path)];
  await mine.create(SESSION, draft(created()));
  const lease = await acquired(mine);
  mine.live.write(lease, running("hello"));
  expect(await other.live.read(SESSION)).toEqual(running("hello"));
  await commit(mine, lease, [started("t")]);
  expect(await other.live.read(SESSION)).toBeUndefined();
});

test("nothing runs in a session whose owner died, fell silent, or let it go", async () => {
  const path = newPath();
  const mine = await openStore(path);
  await mine.create(SESSION, draft(created()));
  const lease = await acquired(mine, "killed");
  mine.live.write(lease, running("hello"));
  const [told, late] = [
    await openStore(path, { isGone: ({ id }) => id === "killed" }),
    await openStore(path, { now: () => AT + LEASE_MS }),
  ];
  expect([await told.live.read(SESSION), await late.live.read(SESSION)]).toEqual([undefined, undefined]);
  await mine.release(lease);
  expect(await mine.live.read(SESSION)).toBeUndefined();
});

test("an owner that overslept shows nothing in place of its successor", async () => {
  const path = newPath();
  const [old, next] = [await openStore(path), await openStore(path)];
  await old.create(SESSION, draft(created()));
  const lost = await acquired(old, "one");
  const lease = await acquired(next, "two", AT + LEASE_MS);
  next.live.write(lease, running("mine"));
  old.live.write(lost, running("stale"));
  expect(await next.live.read(SESSION)).toEqual(running("mine"));
});

test("what a process still prints when its store is closed is nobody's error", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  await store.close();
  expect(() => store.live.write(lease, running("late"))).not.toThrow();
});
