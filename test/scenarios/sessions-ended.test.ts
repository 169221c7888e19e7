/** A session rests, however its turn ended or whatever it waits for; a new process goes on from there, or has nothing to do. */
import { expect, test } from "vitest";
import { createPipeline } from "../../src/core/pipeline.ts";
import { claim, defineOperation, pass } from "../../src/core/operation.ts";
import { endTurn } from "../../src/operations/notice.ts";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import type { PipelinePorts } from "../../src/operations/pipeline.ts";
import type { StoryOptions } from "../../src/testing/index.ts";
import { createPlace } from "./processes.ts";
import type { Place, Process } from "./processes.ts";

/** Ends every turn that got its answer as blocked. */
function blocking(ports: PipelinePorts) {
  const block = defineOperation({
    name: "block",
    reads: ["turn"],
    writes: ["turn.end"],
    claim: ({ turn }) => (turn?.phase === "end" && turn.inferences === 1 ? claim(null, "one reply") : pass("more")),
    async *run() {
      yield [endTurn({ status: "blocked", reason: "this goes round in circles" })];
    },
  });
  const { operations } = standardPipeline(ports);
  return createPipeline([...operations.slice(0, -1), block, ...operations.slice(-1)]);
}

interface Ending {
  readonly options?: StoryOptions;
  arrange(place: Place): void;
  readonly outcome: string;
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  completed: { arrange: ({ world }) => void world.model.on("hello").replies("Hello."), outcome: "completed" },
  refused: {
    arrange: ({ world }) => void world.model.on("hello").replies("No.", { stop: "refusal" }),
    outcome: "refused",
  },
  failed: { arrange: ({ world }) => void world.model.on("hello").fails({ status: 401 }), outcome: "failed" },
  "cut for length": {
    arrange: ({ world }) => void world.model.on("hello").replies("Hel", { stop: "length" }),
    outcome: "failed",
  },
  "over budget": {
    options: { limits: { inferences: 1 }, calculator: "trusted" },
    arrange: ({ world }) => void world.model.on("hello").calls("calculator__total"),
    outcome: "budget",
  },
  blocked: {
    options: { pipeline: blocking },
    arrange: ({ world }) => void world.model.on("hello").replies("Hello."),
    outcome: "blocked",
  },
};

test.for(Object.entries(ENDINGS))(
  "run again, a session whose turn ended %s says the same and writes nothing",
  async ([, ending]) => {
    const place = await createPlace(ending.options);
    ending.arrange(place);
    const first = await place.process(async (process) => {
      await process.prompt("hello");
      return process.run();
    });
    const { seq } = await place.session();
    expect([first, await place.process((process) => process.run())]).toEqual([ending.outcome, ending.outcome]);
    expect((await place.session()).seq).toBe(seq);
    expect(place.world.model.requests).toHaveLength(1);
  },
);

test.for(Object.entries(ENDINGS))(
  "after a turn that ended %s the next prompt works in a new process",
  async ([, ending]) => {
    const place = await createPlace(ending.options);
    ending.arrange(place);
    place.world.model.on("again").replies("Here I am.");
    await place.process(async (process) => {
      await process.prompt("hello");
      await process.run();
    });
    await place.process(async (process) => {
      await process.prompt("again");
      await process.run();
    });
    const { messages } = await place.session();
    expect([...messages].findLast(({ kind }) => kind === "reply")?.parts).toEqual([
      { type: "text", text: "Here I am." },
    ]);
    place.world.model.assertNothingLeft();
  },
);

const goOn = async (process: Process): Promise<string> => {
  await process.send({ type: "continue", author: "user" });
  return process.run();
};

test("a continue goes on after a failed, cut, blocked or budget end, and has nothing to do after an answer or a refusal", async () => {
  const came: Record<string, unknown> = {};
  for (const [name, ending] of Object.entries(ENDINGS)) {
    const place = await createPlace(ending.options);
    ending.arrange(place);
    place.world.model.otherwise().replies("Done.");
    await place.process(async (process) => {
      await process.prompt("hello");
      await process.run();
      if (name === "over budget")
        await process.send({ type: "configure", author: "user", set: { limits: { inferences: 2 } } });
    });
    const outcome = await place.process(goOn);
    const { turn } = await place.session();
    came[name] = [
      outcome,
      turn?.continues === undefined ? "nothing to continue" : "continued",
      place.world.model.requests.length,
    ];
  }
  expect(came).toMatchInlineSnapshot(`
    {
      "blocked": [
        "completed",
        "continued",
        2,
      ],
      "completed": [
        "completed",
        "nothing to continue",
        1,
      ],
      "cut for length": [
        "completed",
        "continued",
        2,
      ],
      "failed": [
        "completed",
        "continued",
        2,
      ],
      "over budget": [
        "completed",
        "continued",
        2,
      ],
      "refused": [
        "refused",
        "nothing to continue",
        1,
      ],
    }
  `);
});

test("a cancel that is sent while nobody runs ends the turn in the next process, and the prompt after it works", async () => {
  const place = await createPlace({ calculator: "untrusted", mode: "ask" });
  place.world.model.on("add").calls("calculator__add", { a: 1, b: 2 });
  place.world.model.on("never mind").replies("Very well.");
  await place.process(async (process) => {
    await process.prompt("add");
    expect(await process.run()).toBe("awaiting_approval");
  });
  await place.process((process) => process.send({ type: "cancel", author: "user" }));
  expect(await place.process((process) => process.run())).toBe("cancelled");
  await place.process(async (process) => {
    await process.prompt("never mind");
    expect(await process.run()).toBe("completed");
  });
  expect(await place.transcript()).toMatchInlineSnapshot(`
    "user      add
    assistant → calculator__add {"a":1,"b":2}
    result    calculator__add interrupted(interrupted): The user interrupted this turn. It was not started.
    notice    The user interrupted this turn.
    outcome   cancelled
    user      never mind
    assistant Very well.
    outcome   completed"
  `);
});

test("a session that awaits an approval waits in every process, and goes on in the one after the decision", async () => {
  const place = await createPlace({ calculator: "untrusted", mode: "ask" });
  place.world.model.on("add").calls("calculator__add", { a: 1, b: 2 });
  place.world.model.on("3").replies("Three.");
  await place.process((process) => process.prompt("add"));
  expect(await place.process((process) => process.run())).toBe("awaiting_approval");
  const { seq, calls } = await place.session();
  expect(await place.process((process) => process.run())).toBe("awaiting_approval");
  expect((await place.session()).seq).toBe(seq);
  const [callId] = calls.open.keys();
  if (callId === undefined) throw new Error("no call is open");
  await place.process((process) => process.send({ type: "decision", author: "user", callId, verdict: "approve" }));
  expect(place.effects()).toEqual([]);
  expect(await place.process((process) => process.run())).toBe("completed");
  expect(await place.transcript()).toMatchInlineSnapshot(`
    "user      add
    assistant → calculator__add {"a":1,"b":2}
    result    calculator__add ok: 3 {"result":3,"total":3}
    assistant Three.
    outcome   completed"
  `);
  expect(place.effects()).toEqual(['add {"a":1,"b":2}']);
});
