/** Whatever happens to a session in whatever order, a warm load, a cold load and the fold of its journal are one session. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Effect } from "../../src/core/effect.ts";
import { lifecycleOf } from "../../src/core/lifecycle.ts";
import type { Session } from "../../src/core/session.ts";
import {
  AT,
  SESSION,
  acquired,
  admitted,
  advancedBy,
  approved,
  asked,
  consumed,
  created,
  decision,
  dispatched,
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
  settled,
  started,
} from "./kit.ts";

/** What an operation might do with a session as it stands. */
function nextBatch(session: Session, n: number): readonly Effect[] {
  const [pending] = session.inputs;
  if (pending && pending.input.type !== "prompt") return [consumed(pending.input.id)];
  if (!session.turn || session.turn.outcome) {
    const consume = pending ? [consumed(pending.input.id)] : [];
    return [...consume, started(`t${n}`), said(`m${n}`, `prompt ${n}`, "prompt")];
  }
  const [call] = session.calls.open.values();
  if (!call) {
    if (session.turn.phase === "end") return [ended];
    return n % 3 === 0
      ? replied(`m${n}`, "done")
      : replied(`m${n}`, "calling", { [`c${n}`]: { n, text: "é\uD83D\uDE00" } });
  }
  const args = { n };
  switch (call.status) {
    case "requested":
      return [admitted(call.id, args)];
    case "admitted":
      return n % 2 === 0 ? [asked(call.id)] : settled(call.id, "denied", "denied");
    case "awaiting_approval":
      return [approved(call.id, call.args ?? {})].map((effect) => effect);
    case "approved":
      return [dispatched(call.id, session.session.epoch)];
    default:
      return settled(call.id, `result ${n}`);
  }
}

type Move = "commit" | "commit two" | "prompt" | "decide" | "reopen" | "look" | "late input" | "take over";
const MOVES: readonly Move[] = [
  "commit",
  "commit",
  "commit two",
  "prompt",
  "decide",
  "reopen",
  "look",
  "late input",
  "take over",
];

test("warm, cold and folded from scratch are the same after any sequence of events", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...MOVES), { minLength: 5, maxLength: 40 }), async (moves) => {
      const path = newPath();
      let store = await openStore(path);
      const person = await openStore(path);
      await store.create(SESSION, draft(created()));
      let now = AT;
      let lease = await acquired(store, "o", now);
      for (const [n, move] of moves.entries()) {
        const base = await loaded(store);
        const commit = async (batches: readonly (readonly Effect[])[]) => {
          const { session } = await store.commit(lease, base, advancedBy(base, lease, batches));
          expect(factsOf(await loaded(store))).toBe(factsOf(session));
        };
        if (move === "commit") await commit([nextBatch(base, n)]);
        else if (move === "commit two") await commit([nextBatch(base, n), [said(`x${n}`, "by the way")]]);
        else if (move === "prompt") await person.append(SESSION, prompt(`i${n}`), AT);
        else if (move === "decide" && lifecycleOf(base) === "awaiting_approval") {
          const [call] = base.calls.open.keys();
          await person.append(SESSION, decision(`i${n}`, call ?? "", "approve"), AT).catch(() => {});
        } else if (move === "late input") {
          const handed = advancedBy(base, lease, [[said(`y${n}`, "late")]]);
          await person.append(SESSION, prompt(`i${n}`), AT);
          await store.commit(lease, base, handed);
        } else if (move === "reopen") {
          await store.close();
          store = await openStore(path);
        } else if (move === "take over") {
          now += 10_000;
          lease = await acquired(person, `o${n}`, now);
        }
      }
      const facts = factsOf(await loaded(store));
      expect(factsOf(await loaded(person))).toBe(facts);
      expect(factsOf(await loaded(await openStore(path)))).toBe(facts);
      expect(factsOf(await foldedFromScratch(store))).toBe(facts);
      expect(await store.verify(SESSION)).toEqual([]);
      await Promise.all([store.close(), person.close()]);
    }),
    { numRuns: 25 },
  );
});
