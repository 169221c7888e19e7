/** What one reply is: its parts in their order, in one message, and sent back as they came. */
import { expect } from "vitest";
import { call, reasoning, text, webSearch } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sent } from "./sent.ts";

const search = webSearch("dacapo", [{ url: "https://example.org", title: "Dacapo" }]);

// The fake model refuses a signature, redacted thinking or a search result that is not exactly what it issued.
story(
  "reasoning, text and calls of one reply stay one message in their order, and go back to Anthropic as they came",
  async (agent) => {
    agent.model
      .on("look twice")
      .says([
        reasoning("Two looks."),
        reasoning("secret", { redacted: true }),
        text("First:"),
        call("calculator__total"),
        text("and then"),
        call("calculator__slow", { milliseconds: 0 }),
      ]);
    agent.model.on("waited").says([reasoning("Both are there."), text("Zero, after no time.")]);
    agent.model.on("thanks").replies("You are welcome.");
    await agent.prompt("look twice");
    await agent.prompt("thanks");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look twice
      assistant (thinks: Two looks.)
                (thinks)
                First:
                → calculator__total {}
                and then
                → calculator__slow {"milliseconds":0}
      result    calculator__total ok: 0
      result    calculator__slow ok: waited 0 ms
      assistant (thinks: Both are there.) Zero, after no time.
      outcome   completed
      user      thanks
      assistant You are welcome.
      outcome   completed"
    `);
    // Anthropic wants calls last; its package sees to that.
    expect(sent(agent.requests()[2])).toMatchInlineSnapshot(`
      "user: look twice
      assistant: thinking "Two looks." (signed) | redacted_thinking | First: | and then | calculator__total {} | calculator__slow {"milliseconds":0}
      user: result 0 | result waited 0 ms
      assistant: thinking "Both are there." (signed) | Zero, after no time.
      user: thanks"
    `);
  },
  { calculator: "trusted", cuts: 3 },
);

story(
  "reasoning, text and calls of one reply go back as one message to a server that speaks chat completions",
  async (agent) => {
    const calls = [call("calculator__total"), call("calculator__slow", { milliseconds: 0 })];
    agent.model.on("look twice").says([reasoning("Two looks."), text("Look:"), ...calls]);
    agent.model.on("waited").replies("Zero.");
    await agent.prompt("look twice");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look twice
      assistant (thinks: Two looks.)
                Look:
                → calculator__total {}
                → calculator__slow {"milliseconds":0}
      result    calculator__total ok: 0
      result    calculator__slow ok: waited 0 ms
      assistant Zero.
      outcome   completed"
    `);
    expect(sent(agent.requests()[1])).toMatchInlineSnapshot(`
      "user: look twice
      assistant: thinking "Two looks." | Look: | calculator__total {} | calculator__slow {"milliseconds":0}
      tool: 0
      tool: waited 0 ms"
    `);
  },
  { protocol: "openai-compatible", calculator: "trusted", cuts: 3 },
);

story(
  "a search that the provider ran is a part of its reply, is not run by us, and goes back as it was",
  async (agent) => {
    agent.model
      .on("look it up")
      .says([text("Searching."), search, text("Found; now the total:"), call("calculator__total")]);
    agent.model.on("0").replies("It is zero.");
    await agent.prompt("look it up");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look it up
      assistant Searching. → web_search {"query":"dacapo"} (run by the provider) Found; now the total: → calculator__total {}
      result    calculator__total ok: 0
      assistant It is zero.
      outcome   completed"
    `);
    const { calls } = await agent.session();
    expect([...calls.settled].map(({ tool }) => tool)).toEqual(["calculator__total"]);
    expect(sent(agent.requests()[1])).toMatchInlineSnapshot(`
      "user: look it up
      assistant: Searching. | server_tool_use web_search {"query":"dacapo"} | web_search_tool_result | Found; now the total: | calculator__total {}
      user: result 0"
    `);
  },
  { calculator: "trusted", cuts: 3 },
);

story(
  "a search of the provider without a word is no answer: the model is asked to go on, and has its search back",
  async (agent) => {
    agent.model.on("look it up").says([search]);
    agent.model.on("empty").replies("It means from the top.");
    await agent.prompt("look it up");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look it up
      assistant → web_search {"query":"dacapo"} (run by the provider)
      nudge     (model only) Your last reply was empty. Answer, or call a tool.
      assistant It means from the top.
      outcome   completed"
    `);
    expect(sent(agent.requests()[1])).toMatchInlineSnapshot(`
      "user: look it up
      assistant: server_tool_use web_search {"query":"dacapo"} | web_search_tool_result
      user: Your last reply was empty. Answer, or call a tool."
    `);
  },
);

story("a turn that the provider paused goes on where it paused", async (agent) => {
  agent.model.on("research").says([text("Searching."), search], { stop: "pause" });
  agent.model.on("research").says([search], { stop: "pause" });
  agent.model.on("research").replies("It means from the top.");
  await agent.prompt("research");
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      research
    assistant Searching. → web_search {"query":"dacapo"} (run by the provider)
    assistant → web_search {"query":"dacapo"} (run by the provider)
    assistant It means from the top.
    outcome   completed"
  `);
  expect(agent.requests().map(sent)).toMatchInlineSnapshot(`
    [
      "user: research",
      "user: research
    assistant: Searching. | server_tool_use web_search {"query":"dacapo"} | web_search_tool_result",
      "user: research
    assistant: Searching. | server_tool_use web_search {"query":"dacapo"} | web_search_tool_result | server_tool_use web_search {"query":"dacapo"} | web_search_tool_result",
    ]
  `);
});

story(
  "a provider that pauses for ever uses up the budget of model calls",
  async (agent) => {
    agent.model.otherwise().says([search], { stop: "pause" });
    await agent.prompt("research");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      research
      assistant → web_search {"query":"dacapo"} (run by the provider)
      assistant → web_search {"query":"dacapo"} (run by the provider)
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2"
    `);
    expect(agent.requests()).toHaveLength(2);
  },
  { limits: { inferences: 2 } },
);
