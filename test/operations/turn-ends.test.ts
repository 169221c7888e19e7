/** How turns end: by an answer, a refusal, a cut, empty replies, or the inference budget. */
import { expect, test } from "vitest";
import { explain } from "../../src/core/step.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import { emptyReply } from "../../src/operations/empty-reply.ts";
import { maxTurns } from "../../src/operations/max-turns.ts";
import { settle } from "../../src/operations/settle.ts";
import { applied, driven, killedEverywhere, message, model, started, transcript } from "./drive.ts";
import type { Says } from "./drive.ts";

const ends = (script: readonly Says[]) => [maxTurns(), model(script), emptyReply(), settle()];

test("A finished answer completes the turn without a word from the machine.", async () => {
  const { session } = await driven(started("hello"), ends(["hi"]));
  expect(session.turn?.outcome).toEqual({ status: "completed" });
  expect(transcript(session)).toEqual(["prompt: hello", "reply: hi"]);
});

test("A refusal is refused with the model's words, or says that there were none.", async () => {
  const { session } = await driven(started("hello"), ends([{ text: "I will not.", finish: "refusal" }]));
  expect(session.turn?.outcome).toEqual({ status: "refused", reason: "I will not." });
  const mute = await driven(started("hello"), ends([{ text: "", finish: "refusal" }]));
  expect(mute.session.turn?.outcome).toMatchObject({ status: "refused", reason: expect.stringContaining("no reason") });
});

test("A reply that was cut for length fails the turn and keeps its text.", async () => {
  const { session } = await driven(started("hello"), ends([{ text: "Once upon", finish: "length" }]));
  expect(session.turn?.outcome).toMatchObject({ status: "failed", error: { kind: "model_output_cut" } });
  expect(transcript(session)).toContain("reply: Once upon");
});

test("A reply that a shutdown interrupted does not pass for an answer.", async () => {
  const { session } = await driven(started("hello"), ends([{ text: "Once upon", finish: "aborted" }]));
  expect(session.turn?.outcome).toMatchObject({ status: "failed", error: { kind: "interrupted" } });
});

test("An empty reply is asked for twice more, hidden from the person and outside the budget.", async () => {
  const { session } = await driven(started("hello", 1), ends(["", "  ", "hi"]));
  expect(session.turn).toMatchObject({ outcome: { status: "completed" }, inferences: 1 });
  const nudges = [...session.messages].filter(({ kind }) => kind === "nudge");
  expect(nudges.map(({ audience }) => audience)).toEqual(Array(2).fill({ user: false, model: true }));
});

test("Three empty replies in a row fail the turn wherever the process is killed.", async () => {
  const story = (killedAfter: readonly number[]) => driven(started("hello"), ends(["", "", ""]), { killedAfter });
  const straight = transcript((await story([])).session);
  for (const { session } of await killedEverywhere(story)) {
    expect(session.turn?.outcome).toMatchObject({ status: "failed", error: { kind: "model_empty" } });
    expect(transcript(session)).toEqual(straight);
  }
});

test("With a budget of two inferences exactly two happen, and the turn says what it used.", async () => {
  const first = await driven(started("hello", 2), [maxTurns(), model(["one", "two", "three"])]);
  const second = await driven(applied(first.session, [message("nudge", "go on")]), [
    maxTurns(),
    model(["one", "two", "three"]),
  ]);
  expect(second.session.turn).toMatchObject({ phase: "end", inferences: 2 });
  const third = await driven(applied(second.session, [message("nudge", "go on")]), ends(["one", "two", "three"]));
  expect(third.session.turn?.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
  expect(transcript(third.session)).not.toContain("reply: three");
});

test("A finished answer with the last allowed inference is no budget stop.", async () => {
  const { session } = await driven(started("hello", 1), ends(["hi"]));
  expect(session.turn?.outcome).toEqual({ status: "completed" });
});

test("The model is told when the budget runs low and not before, and never in the system prompt.", async () => {
  const pipeline = createPipeline([maxTurns()]);
  const told = async (limit: number) => await pipeline.contributions(started("hello", limit));
  expect(await told(4)).toMatchObject({ attention: [], system: "" });
  expect(await told(3)).toMatchObject({ attention: [expect.stringContaining("3 of 3")], system: "" });
  expect((await told(1)).attention).toEqual([expect.stringContaining("last model call")]);
  const used = (await driven(started("hello", 5), [model(["one"])])).session;
  expect((await pipeline.contributions(used)).attention).toEqual([]);
});

test("Every operation explains why it does not act.", () => {
  const { operations, next } = explain(started("hello", 3), createPipeline(ends([])), 0);
  expect(next).toBe("inference");
  expect(operations.map(({ why }) => why)).toEqual([
    "3 of 3 model calls left",
    "the model owes a reply",
    "the turn is not at its end",
    "the turn is not at its end",
  ]);
});
