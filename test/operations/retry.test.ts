/** Failed model requests: durable waits, bounded attempts and honest ends. */
import { expect, test } from "vitest";
import { outcomeOf } from "../../src/core/rest.ts";
import { explain } from "../../src/core/step.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import { retry } from "../../src/operations/retry.ts";
import { settle } from "../../src/operations/settle.ts";
import { driven, killedEverywhere, model, started, transcript } from "./drive.ts";
import type { Drive, Ran, Says } from "./drive.ts";

const overloaded = { kind: "model_overloaded", message: "Overloaded" } as const;
const machine = (script: readonly Says[]) => [retry(), model(script), settle()];

/** Runs to the end, moving the clock to each timer; says how long each wait was. */
async function patient(script: readonly Says[], killedAfter: readonly number[] = []) {
  const clock = { at: 0 };
  const waits: number[] = [];
  const drive: Drive = { clock, killedAfter };
  let ran: Ran = await driven(started("hello"), machine(script), drive);
  let entries = ran.entries;
  for (let outcome = outcomeOf(ran.session); outcome?.status === "awaiting_retry"; outcome = outcomeOf(ran.session)) {
    waits.push(outcome.until - clock.at);
    clock.at = outcome.until;
    const left = killedAfter.map((commit) => commit - entries.length);
    ran = await driven(ran.session, machine(script), { clock, killedAfter: left });
    entries = [...entries, ...ran.entries];
  }
  return { session: ran.session, entries, waits };
}

test("An overload waits on a durable timer that says what failed and when it is tried again.", async () => {
  const { session } = await driven(started("hello"), machine([overloaded, "hi"]));
  expect(outcomeOf(session)).toEqual({ status: "awaiting_retry", until: 1_000 });
  expect(transcript(session).at(-1)).toBe(
    "notice: The model request failed: Overloaded. Attempt 2 of 4 follows in 1 s, at 1970-01-01T00:00:01.000Z.",
  );
  const { operations, next } = explain(session, createPipeline(machine([])), 999);
  expect(next).toBeUndefined();
  expect(operations[0]?.why).toBe("waits until 1970-01-01T00:00:01.000Z");
});

test("The back-off doubles, and an answer after three failures completes the turn, wherever it is killed.", async () => {
  const script = [overloaded, overloaded, overloaded, "hi"];
  const straight = await patient(script);
  expect(straight.waits).toEqual([1_000, 2_000, 4_000]);
  expect(straight.session.turn).toMatchObject({ outcome: { status: "completed" }, inferences: 1, attempts: 0 });
  for (const run of await killedEverywhere((killedAfter) => patient(script, killedAfter))) {
    expect(transcript(run.session)).toEqual(transcript(straight.session));
  }
});

test("The fourth failure ends the turn, says how many attempts there were, and what can be done.", async () => {
  const { session } = await patient([overloaded, overloaded, overloaded, overloaded]);
  expect(session.turn?.outcome).toEqual({
    status: "failed",
    error: { kind: "model_overloaded", message: "4 model requests in a row failed; the last one: Overloaded." },
  });
  expect(transcript(session).at(-1)).toContain("choose another model");
});

test("The wait that the provider asks for is kept to.", async () => {
  const { waits } = await patient([{ kind: "model_rate_limited", message: "Slow down.", retryAfterMs: 30_000 }, "hi"]);
  expect(waits).toEqual([30_000]);
});

test("A wait of more than ten minutes fails the turn and says when it could work.", async () => {
  const { session } = await patient([{ kind: "model_rate_limited", message: "Tomorrow.", retryAfterMs: 3_600_000 }]);
  expect(session.turn?.outcome).toMatchObject({ status: "failed", error: { kind: "model_rate_limited" } });
  expect(transcript(session).at(-1)).toContain("1970-01-01T01:00:00.000Z");
});

test("Kinds that do not pass by themselves fail at once with advice.", async () => {
  const { session } = await patient([{ kind: "model_auth", message: "Bad key hunter2-secret." }]);
  expect(session.turn?.outcome).toEqual({
    status: "failed",
    error: { kind: "model_auth", message: "The model request failed: Bad key [redacted:TEST]." },
  });
  expect(transcript(session).at(-1)).toContain("Check the API key");
  const overflow = await patient([{ kind: "context_overflow", message: "Too long." }]);
  expect(overflow.session.turn?.outcome).toMatchObject({ error: { kind: "context_overflow" } });
});

test("A timer of another purpose is not the retry's to clear.", async () => {
  const { session } = await driven(started("hello"), machine([overloaded, "hi"]));
  const foreign = { ...session, timers: session.timers.map((timer) => ({ ...timer, purpose: "other" })) };
  const { session: after } = await driven(foreign, machine([]), { clock: { at: 9_999 } });
  expect(after.timers).toHaveLength(1);
});
