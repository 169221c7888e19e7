/** A provider that asks for patience: durable waits, bounded and visible, then an honest error, and the next turn works. */
import { expect } from "vitest";
import type { Reply } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sent } from "./sent.ts";

const overloadedStream: Reply = {
  type: "message",
  content: [],
  fault: { type: "error-event", after: 0, errorType: "overloaded_error", message: "Overloaded" },
};

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `the wait that the provider asks for is kept, in seconds or as a date, and else doubled, on ${protocol}`,
    async (agent) => {
      const began = agent.clock.now();
      const waits: number[] = [];
      const refusals: readonly Reply[] = [
        { type: "http-error", status: 429, retryAfterSeconds: 20 },
        { type: "http-error", status: 503, retryAfterDate: "Thu, 01 Jan 2026 00:01:00 GMT" },
        overloadedStream,
      ];
      for (const reply of refusals) agent.model.on("hello").answers(reply);
      agent.model.on("hello").replies("Hello, at last.");
      agent.model.on("again").fails({ status: 529 });
      agent.model.on("again").fails({ status: 429, headers: { "retry-after-ms": "1500" } });
      agent.model.on("again").replies("Hello again.");
      await agent.prompt("hello");
      waits.push(agent.clock.now() - began);
      await agent.prompt("again");
      waits.push(agent.clock.now() - began);
      expect((await agent.transcript()).replaceAll(protocol, "<provider>")).toMatchInlineSnapshot(`
        "user      hello
        error     (user only) (model_rate_limited) <provider> answered 429: The fake model fails as its script says
        notice    (user only) The model request failed: <provider> answered 429: The fake model fails as its script says. Attempt 2 of 4 follows in 20 s, at <time>.
        error     (user only) (model_overloaded) <provider> answered 503: The fake model fails as its script says
        notice    (user only) The model request failed: <provider> answered 503: The fake model fails as its script says. Attempt 3 of 4 follows in 40 s, at <time>.
        error     (user only) (model_overloaded) <provider> reported overloaded_error: Overloaded
        notice    (user only) The model request failed: <provider> reported overloaded_error: Overloaded. Attempt 4 of 4 follows in 4 s, at <time>.
        assistant Hello, at last.
        outcome   completed
        user      again
        error     (user only) (model_overloaded) <provider> answered 529: The fake model fails as its script says
        notice    (user only) The model request failed: <provider> answered 529: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
        error     (user only) (model_rate_limited) <provider> answered 429: The fake model fails as its script says
        notice    (user only) The model request failed: <provider> answered 429: The fake model fails as its script says. Attempt 3 of 4 follows in 2 s, at <time>.
        assistant Hello again.
        outcome   completed"
      `);
      // To the date, a minute from the beginning, and then 4 s; 1 s and 1.5 s in the second turn.
      expect(waits).toEqual([64_000, 66_500]);
      const requests = agent.requests().map(sent);
      expect(new Set(requests.slice(0, 4)).size).toBe(1);
      expect(new Set(requests.slice(4)).size).toBe(1);
      agent.model.assertNothingLeft();
    },
    { protocol, cuts: 5 },
  );
}

story("a session that waits says until when, and a new process goes on at that time", async (agent) => {
  agent.model.on("hello").fails({ status: 503, retryAfterSeconds: 30 });
  agent.model.on("hello").replies("Hello.");
  const sleep = agent.clock.hold();
  const running = agent.start("hello");
  await running.reached(sleep);
  const explained = await agent.client((sessions) => sessions.explain(agent.sessionId));
  expect(explained.outcome).toEqual({ status: "awaiting_retry", until: agent.clock.now() + 30_000 });
  expect(explained.operations.find(({ operation }) => operation === "retry")).toMatchInlineSnapshot(`
    {
      "claims": false,
      "operation": "retry",
      "why": "waits until 2026-01-01T00:00:30.000Z",
    }
  `);
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      hello
    error     (user only) (model_overloaded) anthropic answered 503: The fake model fails as its script says
    notice    (user only) The model request failed: anthropic answered 503: The fake model fails as its script says. Attempt 2 of 4 follows in 30 s, at <time>.
    outcome   awaiting_retry"
  `);
  sleep.release();
  await running;
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      hello
    error     (user only) (model_overloaded) anthropic answered 503: The fake model fails as its script says
    notice    (user only) The model request failed: anthropic answered 503: The fake model fails as its script says. Attempt 2 of 4 follows in 30 s, at <time>.
    assistant Hello.
    outcome   completed"
  `);
});

story("four failures in a row are an honest error, the next turn works, and so does a continue", async (agent) => {
  const often = [1, 2, 3, 4];
  for (const _ of often) agent.model.on("hello").fails({ status: 529, message: "Overloaded" });
  for (const _ of often) agent.model.on("still there").answers(overloadedStream);
  agent.model.on("still there").replies("Yes.");
  agent.model.on("good").replies("Good.");
  await agent.prompt("hello");
  await agent.prompt("still there?");
  await agent.continue();
  await agent.run();
  await agent.prompt("good");
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      hello
    error     (user only) (model_overloaded) anthropic answered 529: Overloaded
    notice    (user only) The model request failed: anthropic answered 529: Overloaded. Attempt 2 of 4 follows in 1 s, at <time>.
    error     (user only) (model_overloaded) anthropic answered 529: Overloaded
    notice    (user only) The model request failed: anthropic answered 529: Overloaded. Attempt 3 of 4 follows in 2 s, at <time>.
    error     (user only) (model_overloaded) anthropic answered 529: Overloaded
    notice    (user only) The model request failed: anthropic answered 529: Overloaded. Attempt 4 of 4 follows in 4 s, at <time>.
    error     (user only) (model_overloaded) anthropic answered 529: Overloaded
    notice    (user only) 4 model requests in a row failed; the last one: anthropic answered 529: Overloaded. Continue in a few minutes, or choose another model.
    outcome   failed(model_overloaded): 4 model requests in a row failed; the last one: anthropic answered 529: Overloaded.
    user      still there?
    error     (user only) (model_overloaded) anthropic reported overloaded_error: Overloaded
    notice    (user only) The model request failed: anthropic reported overloaded_error: Overloaded. Attempt 2 of 4 follows in 1 s, at <time>.
    error     (user only) (model_overloaded) anthropic reported overloaded_error: Overloaded
    notice    (user only) The model request failed: anthropic reported overloaded_error: Overloaded. Attempt 3 of 4 follows in 2 s, at <time>.
    error     (user only) (model_overloaded) anthropic reported overloaded_error: Overloaded
    notice    (user only) The model request failed: anthropic reported overloaded_error: Overloaded. Attempt 4 of 4 follows in 4 s, at <time>.
    error     (user only) (model_overloaded) anthropic reported overloaded_error: Overloaded
    notice    (user only) 4 model requests in a row failed; the last one: anthropic reported overloaded_error: Overloaded. Continue in a few minutes, or choose another model.
    outcome   failed(model_overloaded): 4 model requests in a row failed; the last one: anthropic reported overloaded_error: Overloaded.
    assistant Yes.
    outcome   completed
    user      good
    assistant Good.
    outcome   completed"
  `);
  agent.model.assertNothingLeft();
});

story(
  "a wait of more than ten minutes is not waited for: the turn fails and says when it could work",
  async (agent) => {
    const began = agent.clock.now();
    agent.model.on("hello").fails({ status: 429, retryAfterSeconds: 601 });
    agent.model.on("hello").fails({ status: 503, retryAfterDate: "Fri, 02 Jan 2026 00:00:00 GMT" });
    agent.model.on("hello").fails({ status: 429, retryAfterSeconds: 600 });
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("hello");
    await agent.continue();
    await agent.run();
    expect(agent.clock.now()).toBe(began);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_rate_limited) anthropic answered 429: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 429: The fake model fails as its script says. The provider asks to wait: it could work again at <time>.
      outcome   failed(model_rate_limited): The model request failed: anthropic answered 429: The fake model fails as its script says.
      error     (user only) (model_overloaded) anthropic answered 503: The fake model fails as its script says
      notice    (user only) The model request failed: anthropic answered 503: The fake model fails as its script says. The provider asks to wait: it could work again at <time>.
      outcome   failed(model_overloaded): The model request failed: anthropic answered 503: The fake model fails as its script says."
    `);
    const notices = [...(await agent.session()).messages].filter(({ kind }) => kind === "notice");
    expect(JSON.stringify(notices)).toMatch(/2026-01-01T00:10:01.*2026-01-02T00:00:00/);
    await agent.continue();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "completed" });
    expect(agent.clock.now()).toBe(began + 600_000);
  },
);

story("what does not pass by itself is not tried again", async (agent) => {
  agent.model.on("key").fails({ status: 401, message: "invalid x-api-key" });
  agent.model.on("model").fails({ status: 404, message: "model: claude-nobody" });
  agent.model.on("credit").fails({ status: 400, code: "billing_error", message: "Your credit balance is too low" });
  agent.model.on("long").answers({ type: "context-too-long" });
  agent.model.on("hello").replies("Hello.");
  for (const prompt of ["key", "model", "credit", "long", "hello"]) await agent.prompt(prompt);
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      key
    error     (user only) (model_auth) anthropic answered 401: invalid x-api-key
    notice    (user only) The model request failed: anthropic answered 401: invalid x-api-key. Check the API key that is configured for this provider and that it may use this model.
    outcome   failed(model_auth): The model request failed: anthropic answered 401: invalid x-api-key.
    user      model
    error     (user only) (model_invalid_request) anthropic answered 404: model: claude-nobody
    notice    (user only) The model request failed: anthropic answered 404: model: claude-nobody. Check the model's name and settings; continuing unchanged would fail in the same way.
    outcome   failed(model_invalid_request): The model request failed: anthropic answered 404: model: claude-nobody.
    user      credit
    error     (user only) (model_auth) anthropic answered 400: Your credit balance is too low
    notice    (user only) The model request failed: anthropic answered 400: Your credit balance is too low. Check the API key that is configured for this provider and that it may use this model.
    outcome   failed(model_auth): The model request failed: anthropic answered 400: Your credit balance is too low.
    user      long
    error     (user only) (context_overflow) anthropic answered 400: prompt is too long: 250000 tokens > 200000 maximum
    notice    (user only) The model request failed: anthropic answered 400: prompt is too long: 250000 tokens > 200000 maximum. The conversation is longer than the model can read: go on in a new session with less, or choose a model with a larger window.
    outcome   failed(context_overflow): The model request failed: anthropic answered 400: prompt is too long: 250000 tokens > 200000 maximum.
    user      hello
    assistant Hello.
    outcome   completed"
  `);
  expect(agent.requests()).toHaveLength(5);
  agent.model.assertNothingLeft();
});
