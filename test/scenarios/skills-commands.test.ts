/** Slash commands: a prompt that names one, after the running turn, and nothing else. */
import { expect } from "vitest";
import { createPipeline, defineOperation, pass, standardPipeline } from "../../src/index.ts";
import type { PipelinePorts } from "../../src/index.ts";
import { story } from "../story.ts";

/** An operation from outside that owns a command, spliced into the standard pipeline in the way the docs show. */
const mine = () =>
  defineOperation({
    name: "mine",
    reads: [],
    writes: ["turn.end"],
    commands: [
      {
        name: "mine",
        description: "Say it back",
        run: async (args) => (args === "" ? { notice: "Nothing to say." } : { expand: [{ type: "text", text: args }] }),
      },
    ],
    claim: () => pass("it only owns a command"),
    async *run() {},
  });

const withMine = (ports: PipelinePorts) =>
  createPipeline(createPipeline(standardPipeline(ports).operations.toSpliced(-1, 0, mine())).operations);

story(
  "an operation from outside may own commands: they run, and help lists them",
  async (agent) => {
    agent.model.on("louder").replies("LOUDER.");
    await agent.prompt("/mine");
    await agent.prompt("/mine louder");
    await agent.prompt("/help");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      /mine
      notice    (user only) Nothing to say.
      outcome   completed
      user      /mine louder
      context   (model only) louder
      assistant LOUDER.
      outcome   completed
      user      /help
      notice    (user only) /help: List the commands
                /mine: Say it back
                /skills: List the skills that can be loaded, where they come from, and what is wrong with others
      outcome   completed"
    `);
    expect(agent.requests()).toHaveLength(1);
  },
  { pipeline: withMine, cuts: 4 },
);

story(
  "what names no command is plain text for the model",
  async (agent) => {
    agent.model.otherwise().replies("I see.");
    for (const prompt of ["/nope", "/usr/bin/env is a path", "say /help", "//help", "/"]) await agent.prompt(prompt);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      /nope
      assistant I see.
      outcome   completed
      user      /usr/bin/env is a path
      assistant I see.
      outcome   completed
      user      say /help
      assistant I see.
      outcome   completed
      user      //help
      assistant I see.
      outcome   completed
      user      /
      assistant I see.
      outcome   completed"
    `);
  },
  { cuts: 3 },
);

story("a command waits for the running turn, in its place between prompts", async (agent) => {
  const hold = agent.model.on("tell").replies(["Once upon ", "a time."]).hold({ after: 1 });
  agent.model.on("thanks").replies("You are welcome.");
  const running = agent.start("tell me a story");
  await running.reached(hold);
  await agent.queue("/help");
  await agent.queue("thanks");
  hold.release();
  await running;
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      tell me a story
    assistant Once upon a time.
    outcome   completed
    user      /help
    notice    (user only) /help: List the commands
              /skills: List the skills that can be loaded, where they come from, and what is wrong with others
    outcome   completed
    user      thanks
    assistant You are welcome.
    outcome   completed"
  `);
  expect(agent.requests()).toHaveLength(2);
});

story(
  "a command as a steer is text for the model",
  async (agent) => {
    const hold = agent.model.on("tell").replies(["Once upon ", "a time."]).hold({ after: 1 });
    agent.model.on("/help").replies("There is /help.");
    const running = agent.start("tell me a story");
    await running.reached(hold);
    await agent.steer("/help");
    hold.release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      tell me a story
      assistant Once upon a time.
      steer     /help
      assistant There is /help.
      outcome   completed"
    `);
  },
  { cuts: 4 },
);

story(
  "a turn that a command ended has nothing to continue, and asks nothing of the model",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("/help");
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "completed" });
    await agent.prompt("hello");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      /help
      notice    (user only) /help: List the commands
                /skills: List the skills that can be loaded, where they come from, and what is wrong with others
      outcome   completed
      user      hello
      assistant Hello.
      outcome   completed"
    `);
    expect(agent.requests()).toHaveLength(1);
  },
  { cuts: 4 },
);
