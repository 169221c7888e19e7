/** Each way in which a reply can be no answer has an outcome of its own, and the turn after it works. */
import { expect } from "vitest";
import { call, reasoning, text } from "../../src/testing/index.ts";
import type { Reply } from "../../src/testing/index.ts";
import { story } from "../story.ts";

const NO_ANSWERS: Readonly<Record<string, Reply>> = {
  "empty body": { type: "http-error", status: 500, body: "" },
  "web page": { type: "html" },
  "no JSON": { type: "message", content: [], fault: { type: "bad-json", after: 0 } },
  reset: { type: "reset" },
};

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `what is no answer of a model is tried four times and then told as what it is, on ${protocol}`,
    async (agent) => {
      for (const [prompt, reply] of Object.entries(NO_ANSWERS)) {
        for (let attempt = 1; attempt <= 4; attempt += 1) agent.model.on(prompt).answers(reply);
        await agent.prompt(prompt);
      }
      agent.model.on("hello").replies("Hello.");
      await agent.prompt("hello");
      expect(outcomes(await agent.transcript(), protocol)).toMatchInlineSnapshot(`
        "user      empty body
        notice    (user only) 4 model requests in a row failed; the last one: <provider> answered 500: Internal Server Error. Check the network and the provider's status, then continue.
        outcome   failed(model_unavailable): 4 model requests in a row failed; the last one: <provider> answered 500: Internal Server Error.
        user      web page
        notice    (user only) 4 model requests in a row failed; the last one: <provider> answered without any content or end; is the base URL right? Continue to ask again, or choose another model.
        outcome   failed(model_invalid_output): 4 model requests in a row failed; the last one: <provider> answered without any content or end; is the base URL right?
        user      no JSON
        notice    (user only) 4 model requests in a row failed; the last one: <provider> sent what cannot be read as its protocol: JSON parsing failed: <text>. Continue to ask again, or choose another model.
        outcome   failed(model_invalid_output): 4 model requests in a row failed; the last one: <provider> sent what cannot be read as its protocol: JSON parsing failed: <text>.
        user      reset
        notice    (user only) 4 model requests in a row failed; the last one: <provider> could not be reached at 127.0.0.1:<port> (<connection lost>). Check the network and the provider's status, then continue.
        outcome   failed(model_unavailable): 4 model requests in a row failed; the last one: <provider> could not be reached at 127.0.0.1:<port> (<connection lost>).
        user      hello
        assistant Hello.
        outcome   completed"
      `);
      expect(agent.requests()).toHaveLength(17);
      agent.model.assertNothingLeft();
    },
    { protocol, cuts: 2 },
  );

  story(
    `a reply that was cut for length fails the turn and keeps its text, and can be continued, on ${protocol}`,
    async (agent) => {
      agent.model.on("tell").replies("Once upon a", { stop: "length" });
      agent.model.on("Go on").replies("time.");
      agent.model.on("think").says([], { stop: "length" });
      agent.model.on("hello").replies("Hello.");
      await agent.prompt("tell me a story");
      await agent.continue();
      await agent.run();
      await agent.prompt("think long");
      await agent.prompt("hello");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      tell me a story
        assistant Once upon a
        notice    (user only) The reply was cut off at the model's output limit; what there is was kept. Continue to go on.
        outcome   failed(model_output_cut): The reply was cut off at the model's output limit; what there is was kept.
        context   (model only) Go on where you stopped.
        assistant time.
        outcome   completed
        user      think long
        assistant (empty)
        notice    (user only) The reply was cut off at the model's output limit; what there is was kept. Continue to go on.
        outcome   failed(model_output_cut): The reply was cut off at the model's output limit; what there is was kept.
        user      hello
        assistant Hello.
        outcome   completed"
      `);
      agent.model.assertNothingLeft();
    },
    { protocol, cuts: 3 },
  );

  story(
    `a refusal is no answer and no failure, on ${protocol}`,
    async (agent) => {
      agent.model.on("with words").replies("I will not help with that.", { stop: "refusal" });
      agent.model.on("without").says([], { stop: "refusal" });
      agent.model.on("hello").replies("Hello.");
      await agent.prompt("with words");
      await agent.prompt("without a word");
      await agent.continue();
      await agent.run();
      expect(agent.outcome?.status).toBe("refused");
      await agent.prompt("hello");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      with words
        assistant I will not help with that.
        outcome   refused: I will not help with that.
        user      without a word
        assistant (empty)
        outcome   refused: The model or its provider refused to answer and gave no reason.
        user      hello
        assistant Hello.
        outcome   completed"
      `);
      agent.model.assertNothingLeft();
    },
    { protocol, cuts: 3 },
  );

  story(
    `empty replies are asked about twice, in words that only the model sees, and then fail the turn, on ${protocol}`,
    async (agent) => {
      agent.model.on("first").says([]);
      agent.model.on("empty").replies("  \n");
      agent.model.on("empty").replies("Sorry: hello.");
      agent.model.on("second").says([reasoning("Hm.")]);
      agent.model.on("empty").says([]);
      agent.model.on("empty").says([reasoning("Hm.")]);
      agent.model.on("hello").replies("Hello.");
      await agent.prompt("first");
      await agent.prompt("second");
      await agent.prompt("hello");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      first
        assistant (empty)
        nudge     (model only) Your last reply was empty. Answer, or call a tool.
        assistant
        nudge     (model only) Your last reply was empty. Answer, or call a tool.
        assistant Sorry: hello.
        outcome   completed
        user      second
        assistant (thinks: Hm.)
        nudge     (model only) Your last reply was empty. Answer, or call a tool.
        assistant (empty)
        nudge     (model only) Your last reply was empty. Answer, or call a tool.
        assistant (thinks: Hm.)
        notice    (user only) The model gave 3 empty replies in a row. Continue to ask again, or choose another model.
        outcome   failed(model_empty): The model gave 3 empty replies in a row.
        user      hello
        assistant Hello.
        outcome   completed"
      `);
      agent.model.assertNothingLeft();
    },
    { protocol, cuts: 3 },
  );
}

story(
  "a stream without a choice is invalid output",
  async (agent) => {
    for (let attempt = 1; attempt <= 4; attempt += 1) agent.model.on("choose").answers({ type: "no-choices" });
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("choose");
    await agent.prompt("hello");
    expect(outcomes(await agent.transcript(), "openai-compatible")).toMatchInlineSnapshot(`
      "user      choose
      notice    (user only) 4 model requests in a row failed; the last one: <provider> answered without any content or end; is the base URL right? Continue to ask again, or choose another model.
      outcome   failed(model_invalid_output): 4 model requests in a row failed; the last one: <provider> answered without any content or end; is the base URL right?
      user      hello
      assistant Hello.
      outcome   completed"
    `);
  },
  { protocol: "openai-compatible", cuts: 2 },
);

story(
  "calls of a reply that was cut for length run, since they are whole, and the turn goes on",
  async (agent) => {
    agent.model.on("total").says([text("Let me"), call("calculator__total")], { stop: "length" });
    agent.model.on("0").replies("Zero.");
    await agent.prompt("total");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      total
      assistant Let me → calculator__total {}
      result    calculator__total ok: 0
      assistant Zero.
      outcome   completed"
    `);
  },
  { calculator: "trusted", cuts: 3 },
);

/** How the turns ended and what was said of it, without the attempts before. */
function outcomes(transcript: string, protocol: string): string {
  return transcript
    .replaceAll(protocol, "<provider>")
    .replace(/Text: [^]*? at position \d+/g, "<text>")
    .split("\n")
    .filter((line) => !/^error |Attempt \d of 4/.test(line))
    .join("\n");
}
