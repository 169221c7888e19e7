/** A session that leaves as a file and comes in elsewhere is the same session, and goes on; a damaged file is told by its line. */
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/ids.ts";
import type { Sessions } from "../../src/sessions.ts";
import { transcript } from "../../src/testing/index.ts";
import { createPlace } from "./processes.ts";
import type { Place } from "./processes.ts";

async function exported(place: Place): Promise<readonly string[]> {
  return place.process(async ({ app }) => linesOf(app.sessions, place.world.sessionId));
}

async function linesOf(sessions: Sessions, id: SessionId): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of sessions.export(id)) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
}

test("a session that awaits an approval is decided and completed where it was imported, and the first one still waits", async () => {
  const from = await createPlace({ calculator: "untrusted", mode: "ask" });
  from.world.model.on("add").calls("calculator__add", { a: 1, b: 2 });
  await from.process(async (process) => {
    await process.prompt("add");
    await process.run();
    await process.prompt("and then?");
  });
  const file = await exported(from);

  const to = await createPlace({ calculator: "untrusted", mode: "ask" });
  // Ids are counted here; outside of tests they are random, and those of two places never meet.
  for (let used = 0; used < 1_000; used += 1) to.world.newId();
  to.world.model.on("3").replies("Three.");
  to.world.model.on("and then").replies("Nothing.");
  await to.process(async ({ app: { sessions } }) => {
    const id = await sessions.import(each(file));
    expect((await linesOf(sessions, id)).length).toBe(file.length);
    const [callId] = (await sessions.open(id)).calls.open.keys();
    if (callId === undefined) throw new Error("no call is open");
    await sessions.send(id, { type: "decision", author: "user", callId, verdict: "approve" });
    await sessions.run(id);
    expect(transcript(await sessions.open(id)).replaceAll(from.world.workspace, "<workspace>")).toMatchInlineSnapshot(`
      "user      add
      assistant → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      assistant Three.
      user      and then?
      assistant Nothing.
      outcome   completed"
    `);
    expect(await sessions.verify(id)).toEqual([]);
  });
  expect(from.effects()).toEqual([]);
  expect(to.effects()).toEqual(['add {"a":1,"b":2}']);
  expect(await exported(from)).toEqual(file);
});

test("a session with every kind of tail is exported and imported byte for byte, twice", async () => {
  const place = await createPlace({ calculator: "trusted" });
  place.world.model.on("count").calls("calculator__total");
  place.world.model.on("0").fails({ status: 503 });
  await place.process(async (process) => {
    await process.prompt("count");
    const { sessions } = process.app;
    for (;;) {
      const id = await sessions.import(sessions.export(place.world.sessionId));
      const again = await sessions.import(sessions.export(id));
      const plain = async (which: SessionId) =>
        (await linesOf(sessions, which))
          .map((line) => line.replaceAll(`"${which}"`, '"<session>"').replace(/"sha256":"[^"]*"/, ""))
          .join("\n");
      expect(await plain(again)).toBe(await plain(place.world.sessionId));
      const before = await sessions.explain(place.world.sessionId);
      const after = await sessions.explain(again);
      expect([after.next, after.lifecycle, after.outcome]).toEqual([before.next, before.lifecycle, before.outcome]);
      if (before.next === null) break;
      await sessions.step(place.world.sessionId);
    }
  });
  expect((await place.session()).timers).toHaveLength(1);
});
