/** Export and import: the same bytes on the other side, or nothing and the line that is wrong. */
import { createHash } from "node:crypto";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/ids.ts";
import type { Store } from "../../src/core/store.ts";
import {
  SESSION,
  acquired,
  commit,
  created,
  draft,
  factsOf,
  loaded,
  newPath,
  openStore,
  replied,
  said,
  started,
  wholeSession,
  AT,
} from "./kit.ts";

const newId = () => "fresh" as SessionId;

async function linesOf(store: Store, id = SESSION): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.export(id)) lines.push(line);
  return lines;
}

async function* from(lines: readonly string[]): AsyncGenerator<string, void, void> {
  yield* lines;
}

/** The lines with a trailer that counts and hashes them again, as a forger would write it. */
function resealed(lines: readonly string[]): string[] {
  const hash = createHash("sha256");
  for (const line of lines) hash.update(`${line}\n`);
  const entries = lines.filter((line) => line.includes('"hash":')).length;
  return [...lines, JSON.stringify({ end: true, entries, sha256: hash.digest("hex") })];
}

async function exported(): Promise<string[]> {
  const store = await openStore(newPath());
  await wholeSession(store, "é😀".repeat(50_000));
  return linesOf(store);
}

test("an export is a header, whole entries with their hashes, artifacts and a trailer", async () => {
  const lines = await exported();
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(parsed[0]).toEqual({
    format: "dacapo-session",
    version: 1,
    session: {
      id: "s",
      workspace: "/project",
      title: "a title",
      model: "demo/echo",
      createdAt: "2026-01-01T00:00:00.000Z",
    },
  });
  expect(parsed[2]).toMatchObject({ type: "input", seq: 2, input: { parts: [{ type: "text", text: "add" }] } });
  expect(parsed.at(-2)).toMatchObject({ artifact: "a" });
  expect(parsed.at(-1)).toMatchObject({ end: true, entries: 12 });
});

test("an import gives a session whose export is the same bytes, also in the file that it came from but for the id", async () => {
  const lines = await exported();
  const store = await openStore(newPath());
  expect(await store.import(from(lines), newId)).toBe("s");
  expect(await linesOf(store)).toEqual(lines);
  expect(await store.import(from(lines), newId)).toBe("fresh");
  const again = await linesOf(store, newId());
  expect(again.slice(1, -1)).toEqual(lines.slice(1, -1));
  expect(again[0]).toBe(lines[0]?.replace('"id":"s"', '"id":"fresh"'));
  for (const id of [SESSION, newId()]) expect(await store.verify(id)).toEqual([]);
  expect(factsOf(await loaded(store, newId()))).toBe(
    factsOf(await loaded(store)).replaceAll('"id":"s"', '"id":"fresh"'),
  );
});

test("an imported session goes on under a higher epoch than any it had", async () => {
  const lines = await exported();
  const store = await openStore(newPath());
  await store.import(from(lines), newId);
  const before = await loaded(store);
  const lease = await acquired(store);
  expect(lease.epoch).toBeGreaterThan(before.session.epoch);
  await commit(store, lease, [started("t2"), said("more", "more", "prompt")]);
  expect(await store.verify(SESSION)).toEqual([]);
});

test("a session is hidden until it is there to its last line", async () => {
  const lines = await exported();
  const store = await openStore(newPath());
  async function* watchful(): AsyncGenerator<string, void, void> {
    for (const line of lines) {
      expect(await store.list()).toEqual([]);
      yield line;
    }
  }
  await store.import(watchful(), newId);
  expect(await store.list()).toHaveLength(1);
});

test.each([
  ["at its beginning", 1],
  ["before its last line", -1],
])("an import that stood still %s and was taken for abandoned says so, and leaves nothing", async (_, pause) => {
  const lines = await exported();
  let now = AT;
  const path = newPath();
  const [store, other] = [await openStore(path, { now: () => now }), await openStore(path, { now: () => now })];
  async function* slow(): AsyncGenerator<string, void, void> {
    yield* lines.slice(0, pause);
    now += 60 * 60_000;
    await other.import(from(lines), newId);
    yield* lines.slice(pause);
  }
  await expect(store.import(slow(), () => "again" as SessionId)).rejects.toThrow("taken for abandoned");
  expect((await store.list()).map(({ id }) => id)).toEqual([SESSION]);
  expect(await store.verify(SESSION)).toEqual([]);
});

const edit = (at: number, change: (line: string) => string) => (lines: readonly string[]) =>
  lines.map((line, n) => (n === at ? change(line) : line));
const without = (at: number) => (lines: readonly string[]) => lines.filter((_, n) => n !== at);

test.each<[string, (lines: readonly string[]) => readonly string[], RegExp]>([
  ["nothing at all", () => [], /^line 1 .*it is missing|^line 1 .*it is empty/],
  ["another kind of file", () => ["# notes"], /^line 1 .*not the header of a session's export/],
  ["another JSON file", () => ['{"a":1}'], /^line 1 .*not the header/],
  ["a later format", edit(0, (line) => line.replace('"version":1', '"version":2')), /^line 1 .*version 2 .* reads 1/],
  [
    "a changed header",
    (lines) => resealed(edit(0, (line) => line.replace("a title", "b title"))(lines.slice(0, -1))),
    /^line 1 .*otherwise than the entries/,
  ],
  ["half a line", edit(4, (line) => line.slice(0, 40)), /^line 5 .*not a JSON object/],
  ["an empty line", edit(4, () => ""), /^line 5 .*not a JSON object/],
  ["a missing line", without(4), /^line 5 .*entry 5 follows 3/],
  ["a line twice", (lines) => [...lines.slice(0, 4), ...lines.slice(3)], /^line 5 .*entry 3 follows 3/],
  [
    "an effect of no known type",
    edit(3, (line) => line.replace('"turn.start"', '"turn.stop"')),
    /^line 4 .*effects\.1\.type/,
  ],
  [
    "a member of no known name",
    edit(3, (line) => line.replace('"index":0', '"index":0,"more":1')),
    /^line 4 .*members that this version does not know/,
  ],
  ["changed content", edit(4, (line) => line.replace("I will.", "I wont.")), /^line 5 .*its hash differs/],
  ["a missing hash", edit(4, (line) => line.replace(/,"hash":"[^"]*"\}$/, "}")), /^line 5 .*it has no hash/],
  ["an entry that cannot follow", edit(3, (line) => line.replace('"i1"', '"i9"')), /^line 4 .*input i9 is not pending/],
  ["a cut end", (lines) => lines.slice(0, -1), /^line \d+ .*it is missing: the export was cut off/],
  ["a line after the end", (lines) => [...lines, "{}"], /it comes after the end/],
  [
    "a changed artifact",
    (lines) => edit(lines.length - 2, (line) => line.replace("é", "e"))(lines),
    /^line 17 .*a line before it was changed/,
  ],
  [
    "a missing piece of an artifact",
    (lines) => resealed(without(13)(lines).slice(0, -1)),
    /^line 14 .*artifact a goes on at 0/,
  ],
  [
    "an artifact of nobody",
    (lines) => resealed([...lines.slice(0, -1), '{"artifact":"b","start":0,"text":"x"}']),
    /^line 17 .*no entry links artifact b/,
  ],
])("%s is refused by line number, and nothing is imported", async (_name, damage, expected) => {
  const damaged = damage(await exported());
  const path = newPath();
  const store = await openStore(path);
  await expect(store.import(from(damaged), newId)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(expected) as string,
  });
  const rows = new Sqlite(path, { readonly: true });
  const count = (table: string) => rows.prepare(`select count(*) from ${table}`).pluck().get();
  expect(["sessions", "leases", "entries", "contents", "messages", "artifact_chunks"].map(count)).toEqual([
    0, 0, 0, 0, 0, 0,
  ]);
  rows.close();
});

test("what an import that was killed left behind is taken away by the next one", async () => {
  const lines = await exported();
  const path = newPath();
  const killed = await openStore(path);
  const source = from(lines.slice(0, 8));
  const never = new Promise<void>(() => {});
  async function* stuck(): AsyncGenerator<string, void, void> {
    yield* source;
    await never;
  }
  void killed.import(stuck(), newId);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const later = await openStore(path, { now: () => AT + 3_600_000 });
  await later.import(from(lines), newId);
  const rows = new Sqlite(path, { readonly: true });
  expect(rows.prepare("select count(*) from sessions").pluck().get()).toBe(1);
  rows.close();
});

test("a long session is imported without holding up the process", async () => {
  const store = await openStore(newPath());
  await store.create(SESSION, draft(created()));
  const lease = await acquired(store);
  const batches = Array.from({ length: 1_500 }, (_, n) => [said(`m${n}`, `notice ${n} `.repeat(20))]);
  await commit(store, lease, [started("t")], ...batches);
  const lines = await linesOf(store);
  let longest = 0;
  let last = performance.now();
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await store.import(from(lines), newId);
  clearInterval(beat);
  expect(longest).toBeLessThan(500);
  expect((await loaded(store, newId())).messages.length).toBe(1_500);
});

test("a session that another process deleted and imported again is read anew, not remembered", async () => {
  const path = newPath();
  const [one, other] = [await openStore(path), await openStore(path)];
  const lease = await wholeSession(one);
  await one.release(lease);
  const lines = await linesOf(one);
  await other.delete(SESSION, AT);
  expect(await one.load(SESSION)).toBeUndefined();
  await other.import(from(lines), newId);
  const again = await acquired(one);
  await commit(one, again, [started("t2"), ...replied("again", "I will.", { c2: { a: 1 } })]);
  expect(await one.verify(SESSION)).toEqual([]);
  expect(factsOf(await loaded(other))).toBe(factsOf(await loaded(one)));
});
