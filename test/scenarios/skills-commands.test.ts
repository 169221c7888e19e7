/** Slash commands: a prompt that names one, after the running turn, and nothing else. */
import { expect } from "vitest";
import { story } from "../story.ts";

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
