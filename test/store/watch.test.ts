/** Watching: every entry, once, in order, whoever wrote it. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Entry } from "../../src/core/entry.ts";
import type { SessionId } from "../../src/core/ids.ts";
import type { Store } from "../../src/core/store.ts";
import {
  AT,
  SESSION,
  acquired,
  advancedBy,
  commit,
  created,
  draft,
  loaded,
  newPath,
  openStore,
  owner,
  prompt,
  said,
  started,
} from "./kit.ts";

function watched(store: Store, after = 0) {
  const seqs: number[] = [];
  const stop = store.watch(SESSION, after, (entry: Entry) => seqs.push(entry.seq));
  return { seqs, stop };
}

test("what this process commits is told as soon as it is durable", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const { seqs } = watched(store, 1);
  const lease = await acquired(store);
  await store.append(SESSION, prompt("i"), AT);
  await commit(store, lease, [started("t")], [said("m", "hi")]);
  expect(seqs).toEqual([2, 3, 4]);
});

test("a watcher that begins late is told what was there, then what comes, without gap or duplicate", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  await commit(store, lease, [started("t")], ...Array.from({ length: 500 }, (_, n) => [said(`m${n}`, "hi")]));
  const { seqs } = watched(store);
  await commit(store, lease, [said("last", "hi")]);
  await vi.waitFor(() => expect(seqs).toHaveLength(503));
  expect(seqs).toEqual(Array.from({ length: 503 }, (_, n) => n + 1));
});

test("what another process wrote is told soon, merged in order with what this one writes", async () => {
  const path = newPath();
  const [mine, other] = [await openStore(path), await openStore(path)];
  await mine.create(SESSION, draft(created()));
  const { seqs } = watched(mine);
  await vi.waitFor(() => expect(seqs).toEqual([1]));
  for (let n = 0; n < 5; n += 1) {
    await other.append(SESSION, prompt(`other${n}`), AT);
    await mine.append(SESSION, prompt(`mine${n}`), AT);
  }
  await other.append(SESSION, prompt("last"), AT);
  await vi.waitFor(() => expect(seqs).toHaveLength(12), { timeout: 2_000 });
  expect(seqs).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
});

test("a watcher of a session that does not exist yet is told when it begins", async () => {
  const path = newPath();
  const [mine, other] = [await openStore(path), await openStore(path)];
  const { seqs } = watched(mine);
  await other.create(SESSION, draft(created()));
  await vi.waitFor(() => expect(seqs).toEqual([1]), { timeout: 2_000 });
});

test("a listener that writes at once does not change the order that others see", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  store.watch(SESSION, 1, ({ seq }) => {
    if (seq < 5) void store.append(SESSION, prompt(`i${seq}`), AT);
  });
  const { seqs } = watched(store, 1);
  await store.append(SESSION, prompt("first"), AT);
  await vi.waitFor(() => expect(seqs).toEqual([2, 3, 4, 5]));
});

test("a listener that throws fails no commit of whoever shares its transaction, and nobody else goes untold", async () => {
  const uncaught: (() => void)[] = [];
  const later = vi.spyOn(globalThis, "queueMicrotask").mockImplementation((rethrow) => void uncaught.push(rethrow));
  onTestFinished(() => later.mockRestore());
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  await store.create("b" as SessionId, draft(created()));
  await acquired(store);
  await store.acquire("b" as SessionId, owner("one"), AT);
  store.watch(SESSION, 1, () => {
    throw new Error("the screen is gone");
  });
  const { seqs } = watched(store, 1);
  await Promise.all([
    store.append(SESSION, prompt("i"), AT),
    store.append("b" as SessionId, prompt("j"), AT),
    store.append(SESSION, prompt("k"), AT),
  ]);
  expect(seqs).toEqual([2, 3]);
  expect((await loaded(store, "b" as SessionId)).seq).toBe(2);
  expect(uncaught).toHaveLength(2);
  expect(uncaught[0]).toThrow("the screen is gone");
});

test("nothing is told once the watcher has stopped, or of a batch that was refused", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const { seqs, stop } = watched(store, 1);
  const lease = await acquired(store);
  const session = await loaded(store);
  const refused = store.commit({ ...lease, epoch: 9 }, session, advancedBy(session, lease, [[started("t")]]));
  await expect(refused).rejects.toThrow("taken over");
  stop();
  await store.append(SESSION, prompt("i"), AT);
  expect(seqs).toEqual([]);
});
