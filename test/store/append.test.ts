/** Inputs: the same one again, and conflicts, are decided when they are appended. */
import { expect, test } from "vitest";
import type { InputId, QuestionId } from "../../src/core/ids.ts";
import type { Input } from "../../src/core/input.ts";
import {
  AT,
  SESSION,
  commit,
  consumed,
  created,
  decision,
  draft,
  loaded,
  newPath,
  openStore,
  prompt,
  sessionThatAsks,
  settled,
} from "./kit.ts";

test("the same input again is the same input: nothing is written", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  expect(await store.append(SESSION, prompt("i", "hello"), AT)).toEqual({ status: "appended", seq: 2, inputId: "i" });
  expect(await store.append(SESSION, prompt("i", "hello"), AT + 9)).toEqual({ status: "same", seq: 2, inputId: "i" });
  expect((await loaded(store)).inputs).toHaveLength(1);
});

test("an id that was used for other content is a conflict that names it", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  await store.append(SESSION, prompt("i", "hello"), AT);
  const other = store.append(SESSION, prompt("i", "good bye"), AT);
  await expect(other).rejects.toMatchObject({ name: "InputError", reason: "conflict", winner: "i" });
});

test("two processes decide about one call: the same decision is the first one, another loses and is told who won", async () => {
  const path = newPath();
  const [one, two] = [await openStore(path), await openStore(path)];
  await sessionThatAsks(one);
  const first = await one.append(SESSION, decision("d1", "c", "approve"), AT);
  expect(first.status).toBe("appended");
  expect(await two.append(SESSION, decision("d2", "c", "approve"), AT)).toEqual({ ...first, status: "same" });
  const denial = two.append(SESSION, decision("d3", "c", "deny"), AT);
  await expect(denial).rejects.toMatchObject({
    reason: "conflict",
    winner: "d1",
    message: "call c was approved by me already (input d1), and that stands",
  });
  expect((await loaded(two)).inputs).toHaveLength(1);
});

test("a decision that is sent again after its call has settled is still the first one", async () => {
  const store = await openStore(newPath());
  const lease = await sessionThatAsks(store);
  await store.append(SESSION, decision("d1", "c", "deny"), AT);
  await commit(store, lease, [consumed("d1"), ...settled("c", "denied: no", "denied")]);
  expect((await store.append(SESSION, decision("d1", "c", "deny"), AT)).status).toBe("same");
  const other = store.append(SESSION, decision("d2", "c", "approve"), AT);
  const message = expect.stringContaining("call c was denied by me already (input d1)");
  await expect(other).rejects.toMatchObject({ reason: "conflict", winner: "d1", message });
});

const answer: Input = { id: "i" as InputId, type: "answer", author: "me", questionId: "q" as QuestionId, value: 1 };
const withdraw: Input = { id: "i" as InputId, type: "withdraw", author: "me", inputId: "gone" as InputId };

test.each([
  ["a decision about no call", decision("i", "none", "approve"), "unknown-target", "no call none"],
  ["an answer to no question", answer, "unknown-target", "no open question q"],
  ["a withdrawal of no input", withdraw, "settled-target", "input gone is not pending"],
])("%s is refused and leaves nothing behind", async (...[, input, reason, message]) => {
  const store = await openStore(newPath());
  await sessionThatAsks(store);
  const { seq } = await loaded(store);
  await expect(store.append(SESSION, input, AT)).rejects.toMatchObject({
    reason,
    message: expect.stringContaining(message),
  });
  expect((await loaded(store)).seq).toBe(seq);
});

test("an input for no session is refused", async () => {
  const store = await openStore(newPath());
  await expect(store.append(SESSION, prompt("i"), AT)).rejects.toThrow("there is no session s");
});

test("many inputs sent at once from several processes are all kept, once each and without a gap", async () => {
  const path = newPath();
  const stores = await Promise.all([1, 2, 3].map(() => openStore(path)));
  await stores[0]?.create(SESSION, draft(created()));
  const sent = stores.flatMap((store, at) =>
    Array.from({ length: 20 }, (_, n) => store.append(SESSION, prompt(`i${at}-${n}`), AT)),
  );
  const seqs = (await Promise.all(sent)).map(({ seq }) => seq);
  expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n + 2));
  for (const store of stores) expect(await store.verify(SESSION)).toEqual([]);
});
