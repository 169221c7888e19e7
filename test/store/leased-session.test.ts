/** The head of a leased session: what a step applies and what a look at the store finds do not undo one another. */
import { expect, test } from "vitest";
import type { Store } from "../../src/core/store.ts";
import { LeasedSession } from "../../src/leased-session.ts";
import { createGate } from "../../src/testing/index.ts";
import {
  acquired,
  AT,
  created,
  draft,
  factsOf,
  foldedFromScratch,
  loaded,
  newPath,
  openStore,
  prompt,
  said,
  SESSION,
  started,
} from "./kit.ts";

test("what a step yields while others' inputs are being read is stored on top of them", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const reading = createGate();
  const slow: Store = {
    ...store,
    async load(id) {
      const session = await store.load(id);
      await reading.wait(new AbortController().signal);
      return session;
    },
  };
  const clock = { now: () => AT, sleep: () => Promise.resolve() };
  const leased = new LeasedSession(await acquired(store), await loaded(store), { store: slow, clock });
  await store.append(SESSION, prompt("p1"), AT);
  const refreshed = leased.refresh();
  await reading.reached;
  leased.apply(draft([started("t1"), said("m1", "hello", "prompt")], leased.head.seq));
  reading.release();
  await refreshed;
  await leased.flush();
  expect(factsOf(leased.head)).toBe(factsOf(await loaded(store)));
  expect(factsOf(leased.head)).toBe(factsOf(await foldedFromScratch(store)));
  expect((await store.entries(SESSION, 0, 9)).map(({ type }) => type)).toEqual(["commit", "input", "commit"]);
  await leased.close();
});
