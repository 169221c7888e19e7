/** Hooks that judge the end of a turn: what they may do, how often, about which ends, and what a crash makes of it. */
import { beforeEach, expect } from "vitest";
import type { StopHook, StopHookInfo } from "../../src/operations/stop-hook.ts";
import { text } from "../../src/testing/index.ts";
import type { StoryOptions } from "../../src/testing/index.ts";
import { story } from "../story.ts";

/** What the hooks of all processes of a story were asked. */
const asked: (Pick<StopHookInfo, "ordinal" | "attempt" | "overruled" | "text"> & {
  readonly hook: string;
  readonly key: string;
})[] = [];

function hook(name: string, judge: (info: StopHookInfo) => string | undefined): StopHook {
  return {
    name,
    async run(info) {
      const { key, ordinal, attempt, overruled, text: said } = info;
      asked.push({ hook: name, key, ordinal, attempt, overruled, text: said });
      const reason = judge(info);
      return reason === undefined ? { verdict: "allow" } : { verdict: "deny", reason };
    },
  };
}

/** Each run of a hook once: its last attempt. */
function answered(): readonly string[] {
  const last = new Map(asked.map((info) => [`${info.hook} ${info.key}`, info]));
  return [...last.values()].map(
    ({ hook: name, ordinal, overruled, text: said }) => `${name} ${ordinal}${overruled ? " (overruled)" : ""}: ${said}`,
  );
}

/** No key is asked about twice, unless the process was killed: then one is, or its first start died before it got to ask. */
function expectOneKeyPerEnd(wasKilled: boolean): void {
  const keys = asked.map(({ hook: name, key, attempt }) => `${name} ${key} ${attempt}`);
  expect(new Set(keys).size).toBe(keys.length);
  const again = asked.filter(({ attempt }) => attempt !== 1);
  expect(again.map(({ attempt }) => attempt)).toEqual(again.length > 0 && wasKilled ? [2] : []);
}

/** A body whose hooks begin with a clean sheet in every performance. */
function judged(
  title: string,
  { hooks, ...options }: Omit<StoryOptions, "stopHooks"> & { readonly hooks: readonly StopHook[] },
  body: Parameters<typeof story>[1],
): void {
  story(
    title,
    async (agent) => {
      asked.length = 0;
      await body(agent);
      expectOneKeyPerEnd(agent.cut !== undefined);
    },
    { ...options, stopHooks: () => hooks },
  );
}

beforeEach(() => void (asked.length = 0));

judged(
  "a hook that allows is asked once about each end and leaves no trace",
  { hooks: [hook("tests", () => undefined)] },
  async (agent) => {
    agent.model.on("one").replies("First.");
    agent.model.on("two").replies("Second.");
    await agent.prompt("one");
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed"
    `);
    expect(answered()).toEqual(["tests 1: First.", "tests 1: Second."]);
  },
);

judged(
  "a denial sends the model back to work with the reason; of two hooks the first denial counts",
  {
    hooks: [
      hook("tests", ({ text: said }) => (said === "Done." ? "2 tests fail" : undefined)),
      hook("lint", ({ text: said }) => (said === "Fixed." ? "a line is too long" : undefined)),
    ],
  },
  async (agent) => {
    agent.model.on("fix it").replies("Done.");
    agent.model.on("2 tests fail").replies("Fixed.");
    agent.model.on("too long").replies("Fixed and shortened.");
    await agent.prompt("fix it");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      fix it
      assistant Done.
      nudge     Not done yet. The stop hook "tests" says: 2 tests fail
      assistant Fixed.
      nudge     Not done yet. The stop hook "lint" says: a line is too long
      assistant Fixed and shortened.
      outcome   completed"
    `);
    expect(answered()).toEqual([
      "tests 1: Done.",
      "tests 2: Fixed.",
      "lint 3: Fixed.",
      "tests 4: Fixed and shortened.",
      "lint 5: Fixed and shortened.",
    ]);
    agent.model.assertNothingLeft();
  },
);

judged(
  "after eight denials a hook is asked once more as overruled, the person is told, and the turn completes",
  { hooks: [hook("never", () => "not good enough")], cuts: 3 },
  async (agent) => {
    for (let attempt = 1; attempt <= 9; attempt += 1) agent.model.on(/try|not good/).replies(`Attempt ${attempt}.`);
    await agent.prompt("try");
    expect(agent.outcome).toEqual({ status: "completed" });
    expect((await agent.transcript()).split("\n").slice(-6).join("\n")).toMatchInlineSnapshot(`
      "assistant Attempt 8.
      nudge     Not done yet. The stop hook "never" says: not good enough
      assistant Attempt 9.
      notice    (user only) The stop hook "never" still says: not good enough
      notice    (user only) Stop hooks sent this turn back 8 times, the most allowed: it ends anyway.
      outcome   completed"
    `);
    expect(answered().at(-1)).toBe("never 9 (overruled): Attempt 9.");
    expect(answered()).toHaveLength(9);
    agent.model.assertNothingLeft();
  },
);

judged(
  "denials count against the budget of model calls, and a turn that the budget ends asks no hook",
  { hooks: [hook("never", () => "not good enough")], limits: { inferences: 2 }, cuts: 4 },
  async (agent) => {
    agent.model.on("try").replies("First.");
    agent.model.on("not good").replies("Second.");
    await agent.prompt("try");
    expect(agent.outcome).toEqual({ status: "budget", budget: "inferences", used: 2, limit: 2 });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      try
      assistant First.
      nudge     Not done yet. The stop hook "never" says: not good enough
      assistant Second.
      nudge     Not done yet. The stop hook "never" says: not good enough
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2"
    `);
    expect(answered()).toEqual(["never 1: First.", "never 2: Second."]);
  },
);

judged(
  "refusals, errors, empty and cut replies are not a hook's to judge",
  { hooks: [hook("never", () => "not good enough")], cuts: 4 },
  async (agent) => {
    agent.model.on("refuse").replies("I will not.", { stop: "refusal" });
    agent.model.on("fail").fails({ status: 401 });
    agent.model.on("long").replies("Once upon", { stop: "length" });
    for (let empty = 1; empty <= 3; empty += 1) agent.model.on(/mute|empty/).says([]);
    for (const prompt of ["refuse", "fail", "long", "mute"]) await agent.prompt(prompt);
    expect((await agent.transcript()).split("\n").filter((line) => line.startsWith("outcome"))).toMatchInlineSnapshot(`
      [
        "outcome   refused: I will not.",
        "outcome   failed(model_auth): The model request failed: anthropic answered 401: The fake model fails as its script says.",
        "outcome   failed(model_output_cut): The reply was cut off at the model's output limit; what there is was kept.",
        "outcome   failed(model_empty): The model gave 3 empty replies in a row.",
      ]
    `);
    expect(asked).toEqual([]);
    agent.model.assertNothingLeft();
  },
);

judged(
  "a turn that is cancelled asks no hook",
  { hooks: [hook("never", () => "not good enough")], cuts: 3 },
  async (agent) => {
    agent.model
      .on("tell")
      .says([text(["Once ", "upon"])])
      .hold({ after: 1 });
    const running = agent.start("tell");
    await running.shown("Once");
    await agent.cancel();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      tell
      assistant Once
      notice    The user interrupted this turn.
      outcome   cancelled"
    `);
    expect(asked).toEqual([]);
  },
);

judged(
  "a hook that breaks is told to the person and counts as allowing",
  {
    hooks: [
      hook("broken", () => {
        throw new Error("no such file: check.sh");
      }),
      hook("tests", () => undefined),
    ],
  },
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("hello");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      notice    (user only) The stop hook "broken" failed and was passed over: no such file: check.sh
      outcome   completed"
    `);
    expect(answered()).toEqual(["broken 1: Hello.", "tests 2: Hello."]);
  },
);
