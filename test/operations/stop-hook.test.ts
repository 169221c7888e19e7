/** Stop hooks: asked once an end under one key, bounded, and never able to make a session unusable. */
import { expect, test } from "vitest";
import { stopHook } from "../../src/operations/stop-hook.ts";
import type { StopHook, StopHookInfo } from "../../src/operations/stop-hook.ts";
import { claim, defineOperation, pass } from "../../src/core/operation.ts";
import { endTurn } from "../../src/operations/notice.ts";
import { maxTurns } from "../../src/operations/max-turns.ts";
import { settle } from "../../src/operations/settle.ts";
import { driven, killedEverywhere, model, started, transcript, turnOf } from "./drive.ts";
import type { Says } from "./drive.ts";

const allow = { verdict: "allow" } as const;
const deny = { verdict: "deny", reason: "run the tests" } as const;

/** A hook that answers by what it is told, and what it was told. */
function hook(answer: (info: StopHookInfo) => unknown, name = "checker") {
  const asked: StopHookInfo[] = [];
  const run: StopHook["run"] = async (info) => {
    asked.push(info);
    return (await answer(info)) as never;
  };
  return { asked, hook: { name, run } };
}

const machine = (hooks: readonly StopHook[], script: readonly Says[]) => [
  maxTurns(),
  model(script),
  stopHook(hooks),
  settle(),
];
const replies = (count: number) => Array.from({ length: count }, (_, at) => `reply ${at + 1}`);

test("A hook that allows is asked once and told everything about the end.", async () => {
  const { hook: checker, asked } = hook(() => allow);
  const { session } = await driven(started("hello"), machine([checker], ["done"]));
  expect(session.turn?.outcome).toEqual({ status: "completed" });
  expect(asked).toEqual([
    {
      key: `${session.turn?.id}/stop-hook/1`,
      attempt: 1,
      turnId: session.turn?.id,
      ordinal: 1,
      overruled: false,
      text: "done",
      workspace: "/project",
    },
  ]);
  expect(transcript(session)).toEqual(["prompt: hello", "reply: done"]);
});

test("A denial sends the model back to work with the reason, and the next end has a key of its own.", async () => {
  const { hook: checker, asked } = hook(({ ordinal }) => (ordinal === 1 ? deny : allow));
  const { session } = await driven(started("hello"), machine([checker], replies(2)));
  expect(transcript(session)).toEqual([
    "prompt: hello",
    "reply: reply 1",
    'nudge: Not done yet. The stop hook "checker" says: run the tests',
    "reply: reply 2",
  ]);
  expect(asked.map(({ ordinal, text }) => [ordinal, text])).toEqual([
    [1, "reply 1"],
    [2, "reply 2"],
  ]);
});

test("After eight denials the hook is asked once more as overruled, a notice says so, and the turn completes.", async () => {
  const { hook: checker, asked } = hook(() => deny);
  const { session } = await driven(started("hello"), machine([checker], replies(12)));
  expect(session.turn).toMatchObject({ outcome: { status: "completed" }, inferences: 9 });
  expect(asked.map(({ overruled }) => overruled)).toEqual([...Array<boolean>(8).fill(false), true]);
  expect(transcript(session).slice(-2)).toEqual([
    'notice: The stop hook "checker" still says: run the tests',
    "notice: Stop hooks sent this turn back 8 times, the most allowed: it ends anyway.",
  ]);
});

test("Denials are counted for each turn anew.", async () => {
  const { hook: checker, asked } = hook(() => deny);
  const first = await driven(started("hello"), machine([checker], replies(20)));
  await driven(turnOf(first.session, "again"), machine([checker], replies(20)));
  expect(asked).toHaveLength(18);
  expect(asked.slice(9).map(({ ordinal, overruled }) => [ordinal, overruled])[0]).toEqual([1, false]);
});

test("Killed after any commit, the story is the same, and only the hook that was cut off is asked again.", async () => {
  const told: (readonly StopHookInfo[])[] = [];
  const story = async (killedAfter: readonly number[]) => {
    const one = hook(({ text }) => (text === "reply 1" ? deny : allow), "one");
    const two = hook(() => allow, "two");
    const ran = await driven(started("hello"), machine([one.hook, two.hook], replies(2)), { killedAfter });
    told.push([...one.asked, ...two.asked]);
    return ran;
  };
  const straight = transcript((await story([])).session);
  told.length = 0;
  for (const { session } of await killedEverywhere(story)) expect(transcript(session)).toEqual(straight);
  for (const asked of told) {
    expect(new Set(asked.map(({ key }) => key)).size).toBe(3);
    expect(asked.length).toBe(3);
  }
  const cutOff = told.flat().filter(({ attempt }) => attempt > 1);
  expect(cutOff.map(({ key, attempt }) => [key.split("/").at(-1), attempt])).toEqual([
    ["1", 2],
    ["2", 2],
    ["3", 2],
  ]);
});

test("An unfinished start runs again under the same key with a higher attempt, as often as it is cut off.", async () => {
  const { hook: checker, asked } = hook(() => allow);
  const drive = { killedAfter: [2, 3] };
  const { session } = await driven(started("hello"), machine([checker], ["done"]), drive);
  expect(session.turn?.outcome).toEqual({ status: "completed" });
  expect(asked.map(({ attempt }) => attempt)).toEqual([3]);
});

test("Of several hooks the first denial counts, and those after it are not asked about that end.", async () => {
  const one = hook(({ text }) => (text === "reply 1" ? deny : allow), "one");
  const two = hook(() => allow, "two");
  await driven(started("hello"), machine([one.hook, two.hook], replies(2)));
  expect(two.asked.map(({ text }) => text)).toEqual(["reply 2"]);
});

test.each([
  ["throws", () => Promise.reject(new Error("no such file: hunter2-secret"))],
  ["gives no answer", () => ({ verdict: "maybe" })],
  ["returns nothing", () => undefined],
])("A hook that %s is passed over with a notice.", async (_how, answer) => {
  const { hook: broken } = hook(answer);
  const { session } = await driven(started("hello"), machine([broken], ["done"]));
  expect(session.turn?.outcome).toEqual({ status: "completed" });
  expect(transcript(session).at(-1)).toMatch(/^notice: The stop hook "checker" failed and was passed over: /);
  expect(transcript(session).join()).not.toContain("hunter2-secret");
});

test("Refused, cut, cancelled and budget ends are not the hooks' to judge.", async () => {
  const { hook: checker, asked } = hook(() => allow);
  for (const finish of ["refusal", "length", "aborted"] as const) {
    await driven(started("hello"), machine([checker], [{ text: "well", finish }]));
  }
  expect(asked).toEqual([]);
  const denying = hook(() => deny);
  const { session } = await driven(started("hello", 1), machine([denying.hook], replies(2)));
  expect(session.turn?.outcome).toMatchObject({ status: "budget" });
  expect(denying.asked).toHaveLength(1);
});

test("A hook that is cancelled leaves its start unfinished instead of an answer it did not give.", async () => {
  const cancel = new AbortController();
  const { hook: slow } = hook(() => {
    cancel.abort();
    throw new Error("aborted");
  });
  const end = defineOperation({
    name: "interrupt",
    reads: ["turn"],
    writes: ["turn.end"],
    claim: ({ turn }) => (cancel.signal.aborted && !turn?.outcome ? claim({}, "cancelled") : pass("not cancelled")),
    async *run() {
      yield [endTurn({ status: "cancelled" })];
    },
  });
  const operations = [end, ...machine([slow], ["done"])];
  const { session } = await driven(started("hello"), operations, { signal: cancel.signal });
  expect(session.turn?.outcome).toEqual({ status: "cancelled" });
  expect(session.notes["stop-hook"]?.data).toMatchObject({ runs: [{ state: "started", attempt: 1 }] });
  expect(transcript(session)).toEqual(["prompt: hello", "reply: done"]);
});

test("Two hooks of one name are refused when the pipeline is built.", () => {
  const { hook: checker } = hook(() => allow);
  expect(() => stopHook([checker, checker])).toThrow('two stop hooks named "checker"');
});
