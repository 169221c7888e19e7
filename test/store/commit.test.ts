/** Commits: what is durable, what two processes see of it, and what fences and foreign inputs do to it. */
import { expect, test } from "vitest";
import type { InputId } from "../../src/core/ids.ts";
import { advance } from "../../src/core/advance.ts";
import {
  AT,
  SESSION,
  acquired,
  advancedBy,
  commit,
  consumed,
  created,
  draft,
  ended,
  factsOf,
  foldedFromScratch,
  loaded,
  newPath,
  openStore,
  prompt,
  replied,
  said,
  started,
  wholeSession,
} from "./kit.ts";

test("a session is the same warm, cold, in another process and folded from its journal", async () => {
  const path = newPath();
  const store = await openStore(path);
  await wholeSession(store);
  const warm = factsOf(await loaded(store));
  const other = await openStore(path);
  expect(factsOf(await loaded(other))).toBe(warm);
  expect(factsOf(await foldedFromScratch(store))).toBe(warm);
  expect(JSON.parse(warm)).toMatchObject({
    lifecycle: "ended",
    outcome: { status: "completed" },
    calls: [{ id: "c", status: "succeeded", args: { a: 1 } }],
    inputs: [{ held: false, input: { id: "i3" } }],
  });
});

test("a message read from the file is like any other: it can be spread, printed and compared", async () => {
  const path = newPath();
  await wholeSession(await openStore(path));
  const [message] = [...(await loaded(await openStore(path))).messages].slice(-1);
  const whole = { role: "assistant", kind: "reply", parts: [{ type: "text", text: "It is 2." }] };
  expect({ ...message }).toMatchObject(whole);
  expect(JSON.parse(JSON.stringify(message))).toMatchObject(whole);
});

test("a process that knows a session reads only what others appended since", async () => {
  const path = newPath();
  const [one, two] = [await openStore(path), await openStore(path)];
  await one.create(SESSION, draft(created()));
  const before = await loaded(two);
  const lease = await acquired(one);
  await commit(one, lease, [started("t"), said("m", "hello", "prompt")]);
  const after = await loaded(two);
  expect(after.messages.length).toBe(1);
  expect(after.messages.identity).toBe(before.messages.identity);
  expect(await loaded(two)).toBe(after);
});

test("a session that does not exist is not loaded, and one that exists is not created again", async () => {
  const store = await openStore(newPath());
  expect(await store.load(SESSION)).toBeUndefined();
  await store.create(SESSION, draft(created()));
  await expect(store.create(SESSION, draft(created()))).rejects.toThrow("there is a session s already");
});

test("an owner that was replaced while it slept is fenced: its late commit changes nothing", async () => {
  const path = newPath();
  const [sleeper, other] = [await openStore(path), await openStore(path)];
  await sleeper.create(SESSION, draft(created()));
  const old = await acquired(sleeper, "sleeper");
  const session = await loaded(sleeper);
  await acquired(other, "other", AT + 6_000);
  const late = sleeper.commit(old, session, advancedBy(session, old, [[started("late")]]));
  await expect(late).rejects.toMatchObject({ name: "FencedError" });
  expect(await sleeper.renew(old, AT + 6_100)).toBe(false);
  expect((await loaded(other)).seq).toBe(1);
});

test("an owner that overslept and was not replaced goes on", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  await commit(store, lease, [started("t")]);
  expect(await store.renew(lease, AT + 60_000)).toBe(true);
  expect((await loaded(store)).turn?.id).toBe("t");
});

test("an empty commit tells whether the lease still holds and what has arrived", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  const session = await loaded(store);
  await store.append(SESSION, prompt("i"), AT);
  const { entries, dropped } = await store.commit(lease, session, []);
  expect([entries.map(({ seq }) => seq), dropped]).toEqual([[2], 0]);
  await acquired(store, "other", AT + 6_000);
  await expect(store.commit(lease, session, [])).rejects.toThrow("taken over");
});

test("inputs that arrive during a step void nothing: its commits land on top of them, later steps are dropped", async () => {
  const path = newPath();
  const [runner, person] = [await openStore(path), await openStore(path)];
  await runner.create(SESSION, draft(created()));
  const lease = await acquired(runner);
  const base = await loaded(runner);
  const first = advance(base, draft([started("t")], base.seq, 0), lease.epoch);
  const second = advance(first.session, draft([said("m1", "one", "nudge")], base.seq, 1), lease.epoch);
  const third = advance(second.session, draft([said("m2", "two", "nudge")], second.session.seq), lease.epoch);
  await person.append(SESSION, prompt("i"), AT);
  const { session, entries, dropped } = await runner.commit(lease, base, [first, second, third]);
  expect(entries.map(({ seq, type }) => [seq, type])).toEqual([
    [2, "input"],
    [3, "commit"],
    [4, "commit"],
  ]);
  expect([dropped, session.messages.length, session.inputs.length]).toEqual([1, 1, 1]);
  expect(factsOf(await loaded(person))).toBe(factsOf(session));
  expect(await runner.verify(SESSION)).toEqual([]);
});

test.each([
  [
    "a steer",
    { id: "i" as InputId, type: "steer" as const, author: "me", parts: [{ type: "text" as const, text: "wait" }] },
    1,
  ],
  ["a cancel", { id: "i" as InputId, type: "cancel" as const, author: "me" }, 1],
  ["a prompt", prompt("i"), 0],
])("%s that arrives as the turn completes decides whether it ends", async (_name, input, dropped) => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  await commit(store, lease, [started("t"), said("m", "hi", "prompt")], replied("r", "hello"));
  const base = await loaded(store);
  const handed = advancedBy(base, lease, [[ended]]);
  await store.append(SESSION, input, AT);
  const committed = await store.commit(lease, base, handed);
  expect(committed.dropped).toBe(dropped);
  expect(committed.session.turn?.outcome?.status).toBe(dropped ? undefined : "completed");
  expect(await store.verify(SESSION)).toEqual([]);
});

test("consuming an input that was withdrawn meanwhile is superseded", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  await store.append(SESSION, prompt("i"), AT);
  const base = await loaded(store);
  const handed = advancedBy(base, lease, [[consumed("i"), started("t")]]);
  await store.append(SESSION, { id: "w" as InputId, type: "withdraw", author: "me", inputId: "i" as InputId }, AT);
  const { dropped, session } = await store.commit(lease, base, handed);
  expect([dropped, session.turn]).toEqual([1, undefined]);
});

test("sessions that commit in the same tick share a transaction, and one that is refused takes nothing of the others", async () => {
  const store = await openStore(newPath());
  const ids = ["a", "b", "c"].map((id) => id as typeof SESSION);
  for (const id of ids) await store.create(id, draft(created()));
  const leases = await Promise.all(
    ids.map(async (id) => {
      const result = await store.acquire(id, { id, host: "h", pidNamespace: "1", pid: 1, processStart: "1" }, AT);
      return result.status === "acquired" ? result.lease : expect.unreachable();
    }),
  );
  const stale = leases.map((lease) => (lease.sessionId === "b" ? { ...lease, epoch: 0 } : lease));
  const results = await Promise.allSettled(stale.map((lease) => commit(store, lease, [started("t")])));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const turns = await Promise.all(ids.map(async (id) => (await loaded(store, id)).turn?.id));
  expect(turns).toEqual(["t", undefined, "t"]);
  for (const id of ids) expect(await store.verify(id)).toEqual([]);
});
