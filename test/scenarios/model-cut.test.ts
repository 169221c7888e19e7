/** A reply that breaks off: nothing of its calls is kept, what was shown is marked as abandoned, and the model is asked again. */
import { expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import type { Fault } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sent } from "./sent.ts";

const FAULTS: Readonly<Record<string, Fault>> = {
  "destroyed socket": { type: "cut", after: 3 },
  "early end": { type: "early-end", after: 3 },
  "no JSON": { type: "bad-json", after: 3 },
  overload: { type: "error-event", after: 3, errorType: "overloaded_error", message: "Overloaded" },
};

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `however a reply breaks off, none of its calls is kept and the model is asked the same again, on ${protocol}`,
    async (agent) => {
      const whole = [text(["One ", "moment."]), call("calculator__total")];
      for (const [prompt, fault] of Object.entries(FAULTS)) {
        agent.model.on(prompt).says(whole, { fault });
        agent.model.on(prompt).says(whole);
        agent.model.on("0").replies("Zero.");
        await agent.prompt(prompt);
      }
      expect(told(await agent.transcript(), protocol)).toMatchInlineSnapshot(`
        "user      destroyed socket
        error     (user only) One moment.
                  [this reply was cut off and abandoned] (model_unavailable) <provider> broke off the connection (<connection lost>)
        notice    (user only) The model request failed: <provider> broke off the connection (<connection lost>). Attempt 2 of 4 follows in 1 s, at <time>.
        assistant One moment. → calculator__total {}
        result    calculator__total ok: 0
        assistant Zero.
        outcome   completed
        user      early end
        error     (user only) One moment.
                  [this reply was cut off and abandoned] (model_unavailable) <provider> closed the stream before the reply was complete
        notice    (user only) The model request failed: <provider> closed the stream before the reply was complete. Attempt 2 of 4 follows in 1 s, at <time>.
        assistant One moment. → calculator__total {}
        result    calculator__total ok: 0
        assistant Zero.
        outcome   completed
        user      no JSON
        error     (user only) One moment.
                  [this reply was cut off and abandoned] (model_invalid_output) <provider> sent what cannot be read as its protocol: JSON parsing failed: <text>
        notice    (user only) The model request failed: <provider> sent what cannot be read as its protocol: JSON parsing failed: <text>. Attempt 2 of 4 follows in 1 s, at <time>.
        assistant One moment. → calculator__total {}
        result    calculator__total ok: 0
        assistant Zero.
        outcome   completed
        user      overload
        error     (user only) One moment.
                  [this reply was cut off and abandoned] (model_overloaded) <provider> reported overloaded_error: Overloaded
        notice    (user only) The model request failed: <provider> reported overloaded_error: Overloaded. Attempt 2 of 4 follows in 1 s, at <time>.
        assistant One moment. → calculator__total {}
        result    calculator__total ok: 0
        assistant Zero.
        outcome   completed"
      `);
      expect(await agent.effects()).toEqual(Object.keys(FAULTS).map(() => "total {}"));
      const requests = agent.requests().map(sent);
      expect([1, 4, 7, 10].map((at) => requests[at])).toEqual([0, 3, 6, 9].map((at) => requests[at]));
      agent.model.assertNothingLeft();
    },
    { protocol, calculator: "trusted", cuts: 2 },
  );

  story(
    `a call that was whole when its reply broke off is not run, on ${protocol}`,
    async (agent) => {
      const both = [call("calculator__add", { a: 1, b: 2 }), call("calculator__add", { a: 3, b: 4 })];
      agent.model.on("add").says(both, { fault: { type: "cut", after: 3 } });
      agent.model.on("add").replies("I would rather not.");
      await agent.prompt("add");
      expect(told(await agent.transcript(), protocol)).toMatchInlineSnapshot(`
        "user      add
        error     (user only) (model_unavailable) <provider> broke off the connection (<connection lost>)
        notice    (user only) The model request failed: <provider> broke off the connection (<connection lost>). Attempt 2 of 4 follows in 1 s, at <time>.
        assistant I would rather not.
        outcome   completed"
      `);
      expect(await agent.effects()).toEqual([]);
      const { calls } = await agent.session();
      expect([calls.open.size, calls.settled.length]).toEqual([0, 0]);
    },
    { protocol, calculator: "untrusted" },
  );
}

story("a reply that breaks off four times in a row fails the turn, and what each attempt said stays", async (agent) => {
  const halves = ["Once", "Once upon", "Once upon a", "Once upon a time"];
  for (const half of halves) agent.model.on("tell").replies([half, "…"], { fault: { type: "early-end", after: 1 } });
  agent.model.on("again").replies("The end.");
  await agent.prompt("tell me a story");
  await agent.prompt("again");
  expect(await agent.transcript()).toMatchInlineSnapshot(`
    "user      tell me a story
    error     (user only) Once
              [this reply was cut off and abandoned] (model_unavailable) anthropic closed the stream before the reply was complete
    notice    (user only) The model request failed: anthropic closed the stream before the reply was complete. Attempt 2 of 4 follows in 1 s, at <time>.
    error     (user only) Once upon
              [this reply was cut off and abandoned] (model_unavailable) anthropic closed the stream before the reply was complete
    notice    (user only) The model request failed: anthropic closed the stream before the reply was complete. Attempt 3 of 4 follows in 2 s, at <time>.
    error     (user only) Once upon a
              [this reply was cut off and abandoned] (model_unavailable) anthropic closed the stream before the reply was complete
    notice    (user only) The model request failed: anthropic closed the stream before the reply was complete. Attempt 4 of 4 follows in 4 s, at <time>.
    error     (user only) Once upon a time
              [this reply was cut off and abandoned] (model_unavailable) anthropic closed the stream before the reply was complete
    notice    (user only) 4 model requests in a row failed; the last one: anthropic closed the stream before the reply was complete. Check the network and the provider's status, then continue.
    outcome   failed(model_unavailable): 4 model requests in a row failed; the last one: anthropic closed the stream before the reply was complete.
    user      again
    assistant The end.
    outcome   completed"
  `);
  expect(agent.requests().map(sent)).toMatchInlineSnapshot(`
    [
      "user: tell me a story",
      "user: tell me a story",
      "user: tell me a story",
      "user: tell me a story",
      "user: tell me a story | again",
    ]
  `);
});

/** What differs between the providers is named by what it is. */
function told(transcript: string, protocol: string): string {
  return transcript.replaceAll(protocol, "<provider>").replace(/Text: [^]*? at position \d+/g, "<text>");
}
