/** What a conversation costs: tokens as the provider counted them, by model, at the catalogue's prices. */
import { expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { story } from "../story.ts";

const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 };

story(
  "tokens and cost are counted for each model, cached ones at their own price, whatever becomes of the reply",
  async (agent) => {
    agent.model
      .on("look")
      .says([call("calculator__total")], { usage: { input: 1_000, output: 100, cacheWrite: 2_000 } });
    agent.model.on("0").replies("Zero.", { usage: { input: 500, output: 10, cacheRead: 2_000 } });
    await agent.prompt("look");
    // Per million: input 3, output 15, cache read 0.3, cache write 3.75.
    const sonnet = { inputTokens: 5_500, outputTokens: 110, cachedInputTokens: 2_000, cacheWriteTokens: 2_000 };
    const sonnetCost = (1_500 * 3 + 110 * 15 + 2_000 * 0.3 + 2_000 * 3.75) / 1e6;
    expect((await agent.session()).usage).toEqual({
      "anthropic/claude-sonnet-4-5": { ...sonnet, cost: expect.closeTo(sonnetCost, 10) as number },
    });

    await agent.configure({ model: "anthropic/claude-haiku-4-5" });
    agent.model.on("again").says([], { usage: { input: 100, output: 1 } });
    agent.model.on("empty").replies("Zero still.", { usage: { input: 200, output: 20, reasoning: 5 } });
    await agent.prompt("again");
    // Per million: input 1, output 5. The empty reply counts too.
    const haikuCost = (300 * 1 + 21 * 5) / 1e6;
    const { usage, turn } = await agent.session();
    expect(usage).toEqual({
      "anthropic/claude-sonnet-4-5": { ...sonnet, cost: expect.closeTo(sonnetCost, 10) as number },
      "anthropic/claude-haiku-4-5": {
        ...none,
        inputTokens: 300,
        outputTokens: 21,
        cost: expect.closeTo(haikuCost, 10) as number,
      },
    });
    expect([turn?.inputTokens, turn?.outputTokens]).toEqual([300, 21]);
    expect(agent.report?.usage).toEqual({
      inputTokens: 5_800,
      outputTokens: 131,
      cachedInputTokens: 2_000,
      cost: expect.closeTo(sonnetCost + haikuCost, 10) as number,
    });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look
      assistant → calculator__total {}
      result    calculator__total ok: 0
      assistant Zero.
      outcome   completed
      user      again
      assistant (empty)
      nudge     (model only) Your last reply was empty. Answer, or call a tool.
      assistant Zero still.
      outcome   completed"
    `);
  },
  { calculator: "trusted", cuts: 3 },
);

story(
  "a reply without usage, like a model without a known price, costs an unknown amount and not zero",
  async (agent) => {
    agent.model.on("hello").replies("Hello.", { usage: null });
    await agent.prompt("hello");
    expect((await agent.session()).usage).toEqual({ "openai-compatible/story-model": { ...none, cost: null } });
    expect(agent.report?.usage.cost).toBe(null);
    agent.model.on("again").replies("Hello again.", { usage: { input: 10, output: 2 } });
    await agent.prompt("again");
    const { usage } = await agent.session();
    expect(usage).toEqual({
      "openai-compatible/story-model": { ...none, inputTokens: 10, outputTokens: 2, cost: null },
    });
    expect(agent.report?.usage.cost).toBe(null);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      assistant Hello.
      outcome   completed
      user      again
      assistant Hello again.
      outcome   completed"
    `);
  },
  { protocol: "openai-compatible", cuts: 4 },
);

story(
  "a failed attempt and an empty reply are no inferences, but what the provider counted for them is paid",
  async (agent) => {
    agent.model.on("hello").says([], { stop: "pause", usage: { input: 100, output: 1 } });
    agent.model.on("hello").says([], { usage: { input: 200, output: 2 } });
    agent.model.on("empty").replies("Hello.", { usage: { input: 300, output: 3 } });
    await agent.prompt("hello");
    const { usage, turn } = await agent.session();
    expect(turn).toMatchObject({ inferences: 1, inputTokens: 600, outputTokens: 6 });
    expect(usage["anthropic/claude-sonnet-4-5"]).toMatchObject({ inputTokens: 600, outputTokens: 6 });
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_invalid_output) anthropic ended the reply with pause_turn and without content
      notice    (user only) The model request failed: anthropic ended the reply with pause_turn and without content. Attempt 2 of 4 follows in 1 s, at <time>.
      assistant (empty)
      nudge     (model only) Your last reply was empty. Answer, or call a tool.
      assistant Hello.
      outcome   completed"
    `);
  },
  { cuts: 4 },
);

const uncounted = { "openai-compatible/story-model": { ...none, cost: null } };

story(
  "an attempt that broke off after something came costs an unknown amount, and one that nothing came of costs nothing",
  async (agent) => {
    agent.model.on("hello").fails({ status: 500 });
    agent.model
      .on("hello")
      .answers({ type: "message", content: [text("Half a sen")], fault: { type: "cut", after: 1 } });
    agent.model.on("hello").fails({ status: 400, message: "no" });
    await agent.prompt("hello");
    expect((await agent.session()).usage).toEqual(uncounted);
    expect(agent.report?.usage.cost).toBe(null);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_unavailable) openai-compatible answered 500: The fake model fails as its script says
      notice    (user only) The model request failed: openai-compatible answered 500: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
      error     (user only) Half
                [this reply was cut off and abandoned] (model_unavailable) openai-compatible broke off the connection (<connection lost>)
      notice    (user only) The model request failed: openai-compatible broke off the connection (<connection lost>). Attempt 3 of 4 follows in 2 s, at <time>.
      error     (user only) (model_invalid_request) openai-compatible answered 400: no
      notice    (user only) 3 model requests in a row failed; the last one: openai-compatible answered 400: no. Check the model's name and settings; continuing unchanged would fail in the same way.
      outcome   failed(model_invalid_request): 3 model requests in a row failed; the last one: openai-compatible answered 400: no."
    `);
  },
  { protocol: "openai-compatible", cuts: 4 },
);

story(
  "a request that is refused before anything came costs nothing",
  async (agent) => {
    agent.model.on("hello").fails({ status: 400, message: "no" });
    await agent.prompt("hello");
    expect((await agent.session()).usage).toEqual({});
    expect(agent.report?.usage.cost).toBe(0);
  },
  { protocol: "openai-compatible", cuts: 2 },
);

story(
  "a reply that was cancelled while it came costs an unknown amount",
  async (agent) => {
    agent.model.on("tell").replies(["Once upon ", "a time"]).hold({ after: 1 });
    const running = agent.start("tell me a story");
    await running.shown("Once upon");
    await agent.cancel();
    await running;
    if (agent.mode === "killed") return; // who dies with the half reply cannot count it
    expect((await agent.session()).usage).toEqual(uncounted);
    expect(agent.report?.usage.cost).toBe(null);
  },
  { protocol: "openai-compatible", cuts: 4 },
);

story(
  "totals are the same after an export and an import, and go on from there",
  async (agent) => {
    agent.model.on("hello").replies("Hello.", { usage: { input: 100, output: 10 } });
    agent.model.on("again").replies("Hello again.", { usage: { input: 200, output: 20 } });
    await agent.prompt("hello");
    const { first, second } = await agent.client(async (sessions) => {
      const id = await sessions.import(sessions.export(agent.sessionId));
      const imported = await sessions.open(id);
      await sessions.send(id, { type: "prompt", author: "user", parts: [{ type: "text", text: "again" }] });
      await sessions.run(id);
      return { first: imported.usage, second: (await sessions.open(id)).usage };
    });
    const cost = expect.closeTo((100 * 3 + 10 * 15) / 1e6, 10) as number;
    expect(first).toEqual({ "anthropic/claude-sonnet-4-5": { ...none, inputTokens: 100, outputTokens: 10, cost } });
    expect((await agent.session()).usage).toEqual(first);
    expect(second["anthropic/claude-sonnet-4-5"]).toMatchObject({ inputTokens: 300, outputTokens: 30 });
  },
  { cuts: 0 },
);
