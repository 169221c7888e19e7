/** Another model in mid-session: pairs stay valid, opaque data stays with its provider, and nothing else is lost. */
import { expect } from "vitest";
import { call, reasoning, text, webSearch } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sent } from "./sent.ts";

const ANTHROPIC = "anthropic/claude-sonnet-4-5";
const OTHER = "openai-compatible/story-model";

story(
  "signatures and searches of one provider never go to another, and are there when the conversation comes back",
  async (agent) => {
    const search = webSearch("dacapo", [{ url: "https://example.org", title: "Dacapo" }]);
    agent.model.on("one").says([reasoning("Deep."), search, text("Looking:"), call("calculator__total")]);
    agent.model.on("0").says([reasoning("redacted", { redacted: true }), text("Zero.")]);
    agent.model.on("two").says([reasoning("Shallow."), text("Again:"), call("calculator__total")]);
    agent.model.on("0").replies("Zero, too.");
    agent.model.on("three").replies("Zero, still.");
    await agent.prompt("one");
    await agent.configure({ model: OTHER });
    await agent.prompt("two");
    await agent.configure({ model: ANTHROPIC });
    await agent.prompt("three");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant (thinks: Deep.) → web_search {"query":"dacapo"} (run by the provider) Looking: → calculator__total {}
      result    calculator__total ok: 0
      assistant (thinks) Zero.
      outcome   completed
      user      two
      assistant (thinks: Shallow.) Again: → calculator__total {}
      result    calculator__total ok: 0
      assistant Zero, too.
      outcome   completed
      user      three
      assistant Zero, still.
      outcome   completed"
    `);
    const requests = agent.requests();
    expect(requests.map(({ protocol }) => protocol)).toEqual([
      "anthropic",
      "anthropic",
      "openai",
      "openai",
      "anthropic",
    ]);
    expect(sent(requests[3])).toMatchInlineSnapshot(`
      "user: one
      assistant: Looking: | calculator__total {}
      tool: 0
      assistant: Zero.
      user: two
      assistant: thinking "Shallow." | Again: | calculator__total {}
      tool: 0"
    `);
    expect(sent(requests[4])).toMatchInlineSnapshot(`
      "user: one
      assistant: thinking "Deep." (signed) | server_tool_use web_search {"query":"dacapo"} | web_search_tool_result | Looking: | calculator__total {}
      user: result 0
      assistant: redacted_thinking | Zero.
      user: two
      assistant: Again: | calculator__total {}
      user: result 0
      assistant: Zero, too.
      user: three"
    `);
    for (const { protocol, rawBody } of requests) {
      if (protocol === "openai") expect(rawBody).not.toMatch(/signature_|redacted_|encrypted_|srvtoolu|Deep\./);
      else expect(rawBody).not.toContain("Shallow.");
    }
  },
  { calculator: "trusted", cuts: 3 },
);

story(
  "a model that is chosen while a call waits for its approval gives the next reply",
  async (agent) => {
    agent.model.on("add").says([reasoning("Sum."), call("calculator__add", { a: 1, b: 2 })]);
    agent.model.on("3").replies("Three.");
    await agent.prompt("add");
    await agent.configure({ model: OTHER });
    await agent.approve("calculator__add");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      add
      assistant (thinks: Sum.) → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      assistant Three.
      outcome   completed"
    `);
    expect(agent.requests().map(({ model }) => model)).toEqual(["claude-sonnet-4-5", "story-model"]);
  },
  { calculator: "untrusted", mode: "ask", cuts: 4 },
);

story(
  "a model that cannot be asked fails the turn and says why, and another one goes on with it",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    for (const model of ["nobody/knows", "openai/gpt-5"]) {
      await agent.configure({ model });
      await agent.prompt("hello");
    }
    await agent.configure({ model: OTHER });
    await agent.continue();
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      hello
      error     (user only) (model_invalid_request) Unknown model "nobody/knows": a model is PROVIDER/NAME, and the providers are anthropic, openai, google, openai-compatible, demo. \`dacapo send ID --set model=PROVIDER/NAME\` gives a session another one.
      notice    (user only) The model request failed: Unknown model "nobody/knows": a model is PROVIDER/NAME, and the providers are anthropic, openai, google, openai-compatible, demo. \`dacapo send ID --set model=PROVIDER/NAME\` gives a session another one. Check the model's name and settings; continuing unchanged would fail in the same way.
      outcome   failed(model_invalid_request): The model request failed: Unknown model "nobody/knows": a model is PROVIDER/NAME, and the providers are anthropic, openai, google, openai-compatible, demo. \`dacapo send ID --set model=PROVIDER/NAME\` gives a session another one.
      user      hello
      error     (user only) (model_invalid_request) No key for openai: set OPENAI_API_KEY, or use --model demo, which needs none.
      notice    (user only) The model request failed: No key for openai: set OPENAI_API_KEY, or use --model demo, which needs none. Check the model's name and settings; continuing unchanged would fail in the same way.
      outcome   failed(model_invalid_request): The model request failed: No key for openai: set OPENAI_API_KEY, or use --model demo, which needs none.
      assistant Hello.
      outcome   completed"
    `);
  },
  { cuts: 4 },
);
