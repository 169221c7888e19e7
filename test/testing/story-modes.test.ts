/** The modes find what they are there to find: what an operation remembers, repeats, leaks or breaks. */
import { expect, test } from "vitest";
import { claim, createPipeline, defineOperation, pass, standardPipeline } from "../../src/index.ts";
import type { EffectOf, MessageId, Operation, PipelinePorts, StepContext } from "../../src/index.ts";
import { story, storyModes } from "../../src/testing/index.ts";
import type { ModeName, Story, StoryOptions } from "../../src/testing/index.ts";

function mode(name: ModeName, body: Story["body"], options: StoryOptions = {}): Promise<void> {
  const found = storyModes(story("a story", body, options)).find((one) => one.name === name);
  return found ? found.run() : Promise.reject(new Error(`there is no mode ${name}`));
}

function nudge(ctx: StepContext, text: string): EffectOf<"message.append"> {
  const id: MessageId = ctx.newId();
  return { type: "message.append", message: { id, kind: "nudge", parts: [{ type: "text", text }] } };
}

/** The standard pipeline with one more operation before the last. */
const having = (make: () => Operation) => (ports: PipelinePorts) => {
  const { operations } = standardPipeline(ports);
  return createPipeline(operations.toSpliced(-1, 0, make()));
};

/** Sends each turn back once, and remembers that where it must not. */
const forgetful = having(() => {
  let done = false;
  return defineOperation({
    name: "forgetful",
    reads: ["turn"],
    writes: ["message.append"],
    claim: ({ turn }) => (turn?.phase === "end" && !done ? claim(null, "not yet") : pass("done")),
    async *run(_data, ctx) {
      done = true;
      yield [nudge(ctx, "Again.")];
    },
  });
});

/** Tells the model once what nobody should be told. */
const telling = (secret: string) =>
  having(() =>
    defineOperation({
      name: "telling",
      reads: ["turn"],
      writes: ["message.append"],
      claim: ({ turn }) => (turn?.phase === "end" && turn.inferences === 1 ? claim(null, "tells") : pass("told")),
      async *run(_data, ctx) {
        yield [nudge(ctx, secret)];
      },
    }),
  );

const greets: Story["body"] = async (agent) => {
  agent.model.on("").always().replies("Hello.");
  await agent.prompt("hello");
};

test("a healthy story passes in every mode", async () => {
  for (const name of ["straight", "rebuilt", "reopened", "killed"] as const) await mode(name, greets);
});

test("what an operation remembers outside the session fails the claim that is asked again", async () => {
  await expect(mode("straight", greets, { pipeline: forgetful })).rejects.toThrow(
    /is by settle, but at its base \d+ forgetful claims the session/,
  );
});

test("rebuilt finds an operation that never sees that it is done", async () => {
  const limits = { inferences: 3 };
  await expect(
    mode(
      "rebuilt",
      async (agent) => {
        await greets(agent);
        expect(agent.outcome).toEqual({ status: "completed" });
      },
      { pipeline: forgetful, limits },
    ),
  ).rejects.toThrow("budget");
});

test("killed names the cut at which an assertion fails", async () => {
  const once: Story["body"] = async (agent) => {
    agent.model.on("add").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("3");
    await agent.prompt("add");
    expect(agent.everyEffect()).toHaveLength(1);
  };
  await mode("straight", once, { calculator: "untrusted" });
  await expect(mode("killed", once, { calculator: "untrusted" })).rejects.toThrow(/^killed after commit \d: /);
});

test("a secret that an operation stores uncleaned is found wherever it went", async () => {
  const environment = { DEPLOY_TOKEN: "t0ken-of-the-deployment" };
  const pipeline = telling(environment.DEPLOY_TOKEN);
  await expect(mode("straight", greets, { environment, pipeline })).rejects.toThrow(
    /journal tells the value of DEPLOY_TOKEN[\s\S]*export tells the value of DEPLOY_TOKEN/,
  );
});

test("half of a character is found", async () => {
  await expect(mode("straight", greets, { pipeline: telling("\uD83D") })).rejects.toThrow("half of a character");
});

test("an error of the engine fails a story that is not about one", async () => {
  const pipeline = having(() =>
    defineOperation({
      name: "broken",
      reads: ["turn"],
      writes: [],
      claim: ({ turn }) => (turn?.phase === "end" ? claim(null, "breaks") : pass("no end")),
      async *run() {
        yield [];
        throw new Error("it broke");
      },
    }),
  );
  await expect(mode("straight", greets, { pipeline })).rejects.toThrow("an error of the engine: internal: it broke");
  await mode("straight", greets, { pipeline, isBroken: true });
});

test("a request that no rule matches fails the story with what the model saw", async () => {
  await expect(mode("straight", async (agent) => void (await agent.prompt("unheard of")))).rejects.toThrow(
    'no rule for what the model saw: "unheard of"',
  );
});

test("waiting for what the run does not come to fails at once", async () => {
  const waits: Story["body"] = async (agent) => {
    agent.model.on("hello").replies("Hello.");
    await agent.start("hello").reached(agent.gate("never"));
  };
  await expect(mode("straight", waits)).rejects.toThrow("the run came to rest before it reached the hold");
});
