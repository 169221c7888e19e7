/** A session with 10,000 messages is like any other; how fast it is, bench/ measures. */
import { expect, test } from "vitest";
import { advance } from "../../src/core/advance.ts";
import type { Effect } from "../../src/core/effect.ts";
import type { MessageId, TurnId } from "../../src/core/ids.ts";
import { createPlace } from "./processes.ts";
import type { Place } from "./processes.ts";

const TURNS = 5_000;
const EFFECTS_A_COMMIT = 2_000;

/** A turn as it would be left by a model that answers at once. */
function turn(number: number): readonly Effect[] {
  const reply = {
    model: "anthropic/claude-sonnet-4-5",
    finish: "stop",
    request: { system: "You answer.", tools: [] },
  } as const;
  const text = (words: string) => [{ type: "text" as const, text: words }];
  const [prompt, answer] = [`p${number}` as MessageId, `a${number}` as MessageId];
  return [
    { type: "turn.start", id: `t${number}` as TurnId },
    { type: "message.append", message: { id: prompt, kind: "prompt", parts: text(`question ${number}`) }, by: "user" },
    { type: "message.append", message: { id: answer, kind: "reply", parts: text(`answer ${number}`) }, reply },
    { type: "turn.end", outcome: { status: "completed" } },
  ];
}

async function fill(place: Place): Promise<void> {
  const { world } = place;
  await place.process(async ({ app }) => {
    const { owner } = await app.runner();
    const acquired = await app.store.acquire(world.sessionId, owner, world.clock.now());
    if (acquired.status !== "acquired") throw new Error("the session is held");
    const all = Array.from({ length: TURNS }, (_, at) => turn(at + 1)).flat();
    // Each commit ends in the middle of a turn but the last, since a session that is new cannot have ended.
    for (let from = 0; from < all.length; from += from === 0 ? 2 : EFFECTS_A_COMMIT) {
      const effects = all.slice(from, from === 0 ? 2 : from + EFFECTS_A_COMMIT);
      const session = await app.sessions.open(world.sessionId);
      const about = { at: world.clock.now(), base: session.seq, index: 0, operation: "test", reason: "a long story" };
      const advanced = advance(session, { ...about, effects }, acquired.lease.epoch);
      await app.store.commit(acquired.lease, session, [advanced]);
    }
    await app.store.release(acquired.lease);
  });
}

test("a session with 10,000 messages opens, takes a step with a call, and is the same when it is read again", async () => {
  const place = await createPlace({ calculator: "trusted" });
  await fill(place);
  place.world.model.on("the last one").calls("calculator__total");
  place.world.model.on("0").replies("Zero, after all this.");
  await place.process(async (process) => {
    await process.prompt("the last one");
    expect(await process.run()).toBe("completed");
  });
  const { messages, turn: last } = await place.session();
  expect([messages.length, last?.inferences]).toEqual([2 * TURNS + 4, 2]);
  const [first, second] = place.world.model.requests;
  expect([first?.messages.length, second?.messages.length]).toEqual([2 * TURNS + 1, 2 * TURNS + 3]);
  expect(first?.messages.slice(-3).map(({ role, text }) => `${role}: ${text}`)).toEqual([
    `user: question ${TURNS}`,
    `assistant: answer ${TURNS}`,
    "user: the last one",
  ]);
  expect((await place.transcript()).split("\n").slice(-6).join("\n")).toMatchInlineSnapshot(`
    "outcome   completed
    user      the last one
    assistant → calculator__total {}
    result    calculator__total ok: 0
    assistant Zero, after all this.
    outcome   completed"
  `);
  await place.process(async ({ app }) => expect(await app.sessions.verify(place.world.sessionId)).toEqual([]));
});
