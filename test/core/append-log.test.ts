/** The log that all versions of a session share: growing one never changes another. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppendLog } from "../../src/core/append-log.ts";

const item = (id: number) => ({ id: String(id) });
const idsOf = (log: AppendLog<{ id: string }>) => [...log].map(({ id }) => id);

test("an older version keeps its length when a newer one grows, also when two grow from the same one", () => {
  const one = AppendLog.of([item(1)]);
  const two = one.append(item(2));
  const other = one.append(item(3));
  expect([idsOf(one), idsOf(two), idsOf(other)]).toEqual([["1"], ["1", "2"], ["1", "3"]]);
  expect([one.get("2"), two.get("2"), two.get("3"), other.get("2"), other.get("3")]).toEqual([
    undefined,
    item(2),
    undefined,
    undefined,
    item(3),
  ]);
  expect([two.identity === one.identity, other.identity === one.identity]).toEqual([true, false]);
});

test("whatever versions are grown in whatever order, each is the list of what was appended to it", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 40 }), (choices) => {
      const versions = [{ log: AppendLog.of<{ id: string }>(), ids: [] as string[] }];
      for (const [at, choice] of choices.entries()) {
        const from = versions[choice % versions.length] ?? { log: AppendLog.of<{ id: string }>(), ids: [] };
        versions.push({ log: from.log.append(item(at)), ids: [...from.ids, String(at)] });
      }
      for (const { log, ids } of versions) {
        expect(idsOf(log)).toEqual(ids);
        expect(log.since(1)).toEqual(ids.slice(1).map((id) => ({ id })));
        expect(choices.map((_, at) => log.get(String(at))?.id)).toEqual(
          choices.map((_, at) => (ids.includes(String(at)) ? String(at) : undefined)),
        );
      }
    }),
  );
});
