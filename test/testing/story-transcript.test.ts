/** A transcript says what happened in lines that are the same in every run. */
import { expect } from "vitest";
import { call, handMadeTool, text } from "../../src/testing/index.ts";
import { story } from "../story.ts";

const fails = handMadeTool({
  name: "fails",
  run: ({ quietly }) => ({
    errorKind: "tool_failed",
    content: [
      { type: "text", text: "out of paper" },
      ...(quietly ? [] : [{ type: "json" as const, value: { tray: 2 }, audience: { user: true, model: false } }]),
    ],
  }),
});

story(
  "every kind of line of a transcript",
  async (agent) => {
    agent.model.on("print").says([text("Both:"), call("fails", {}), call("bash", { command: "pwd" })]);
    agent.model.on("out of paper").fails({ status: 529 });
    agent.model.on("out of paper").says([]);
    agent.model.on("empty").replies("There is no paper.");
    const running = agent.start("print it");
    await running;
    await agent.approve("fails");
    await agent.deny(/pwd/, "none of your business");
    await agent.steer("hurry");
    await agent.queue("and then?");
    agent.model.on("and then?").replies("Nothing.");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      print it
      assistant Both:
                → fails {}
                → bash {"command":"pwd"}
      asks      fails {} (mode ask asks before tools that may do anything)
      asks      bash {"command":"pwd"} (mode ask asks before tools that may do anything)
      pending   decision
      pending   decision
      pending   steer hurry
      pending   prompt and then?
      outcome   awaiting_approval"
    `);
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      print it
      assistant Both:
                → fails {}
                → bash {"command":"pwd"}
      result    fails failed(tool_failed): out of paper (user only) {"tray":2}
      denial    bash denied(human_rejected): The user denied this call: none of your business. Do not try the same again; find another way or ask the user.
      steer     hurry
      error     (user only) (model_overloaded) anthropic answered 529: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 529: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
      assistant (empty)
      nudge     (model only) Your last reply was empty. Answer, or call a tool.
      assistant There is no paper.
      outcome   completed
      user      and then?
      assistant Nothing.
      outcome   completed"
    `);
    expect(await agent.read("here.txt")).toBe("here");
  },
  { mode: "ask", tools: () => [fails], files: { "here.txt": "here" } },
);

story("places on this machine and times are not in a transcript", async (agent) => {
  agent.model.on("where").calls("bash", { command: "pwd; date -u +%Y-%m-%dT%H:%M:%SZ" });
  agent.model.on("exit code").replies("There and then.");
  await agent.prompt("where and when?");
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      where and when?
    assistant → bash {"command":"pwd; date -u +%Y-%m-%dT%H:%M:%SZ"}
    result    bash ok: <workspace>
              <time>
              [exit code 0]
    assistant There and then.
    outcome   completed"
  `);
});

story("a retry waits on the clock of the story, and a cancel ends the wait", async (agent) => {
  agent.model.on("hello").fails({ status: 503 });
  const sleep = agent.clock.hold();
  const running = agent.start("hello");
  await running.reached(sleep);
  await agent.cancel();
  await running;
  expect(agent.outcome).toEqual({ status: "cancelled" });
});
