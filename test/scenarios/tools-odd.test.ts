/** Tools that return what nobody expects: every call is answered, and the next request is one that a provider takes. */
import { expect } from "vitest";
import { call, calculatorServer, handMadeTool } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { isCut, resultsSent, SAFE } from "./tool-kit.ts";

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `content is shown to whom it is for, and every kind of it can be sent, on ${protocol}`,
    async (agent) => {
      agent.model
        .on("go")
        .says(
          ["audience", "user_only", "nothing", "image", "binary", "links", "lone_surrogate", "repeat"].map((name) =>
            call(`calculator__${name}`),
          ),
        );
      agent.model.on("for the model").replies("I have seen them.");
      agent.model.on("next").replies("Yes.");
      await agent.prompt("go");
      await agent.prompt("next");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → calculator__audience {}
                  → calculator__user_only {}
                  → calculator__nothing {}
                  → calculator__image {}
                  → calculator__binary {}
                  → calculator__links {}
                  → calculator__lone_surrogate {}
                  → calculator__repeat {}
        result    calculator__audience ok: (user only) for the user (model only) for the model for both
        result    calculator__user_only ok: (user only) for the user (model only) The tool returned nothing.
        result    calculator__nothing ok: (model only) The tool returned nothing.
        result    calculator__image ok: [image/png]
        result    calculator__binary ok: [application/octet-stream]
        result    calculator__links ok: calculator://manual:
                  Press the keys. Resource "tape" at calculator://tape (text/plain, 12 bytes): the paper tape
        result    calculator__lone_surrogate ok: half � of a pair {"key �":["�"]}
        result    calculator__repeat ok: {"rows":[1,2,3]}
        assistant I have seen them.
        outcome   completed
        user      next
        assistant Yes.
        outcome   completed"
      `);
      expect(resultsSent(agent).slice(0, 3)).toEqual([
        "for the model\nfor both",
        "The tool returned nothing.",
        "The tool returned nothing.",
      ]);
      expect(agent.requests().map(({ rawBody }) => rawBody.includes("for the user"))).toEqual([false, false, false]);
      agent.model.assertNothingLeft();
    },
    { protocol, calculator: "trusted", cuts: 2 },
  );
}

/** What a tool that is written by hand, and not checked by anybody, may come up with. */
const oddities: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("out of paper \ud83d");
  },
  throws_nothing: () => {
    throw undefined as unknown as Error;
  },
  throws_no_words: () => {
    throw Object.create(null);
  },
  returns_undefined: () => undefined,
  returns_empty: () => ({ content: [] }),
  returns_no_content: () => ({}),
  returns_no_piece: () => ({ content: [{ type: "sound", data: "" }] }),
  returns_odd_json: () => ({
    content: [
      { type: "json", value: { when: new Date(0), nan: Number.NaN, gone: undefined, "half \ud83d": ["\ude00"] } },
    ],
  }),
  returns_bigint: () => ({ content: [{ type: "json", value: { big: 10n } }] }),
  returns_blank: () => ({ content: [{ type: "text", text: " \n" }] }),
  returns_bad_file: () => ({ content: [{ type: "file", mediaType: "no type\ud83d", data: "no base64 \ud83d" }] }),
  returns_huge_file: () => ({ content: [{ type: "file", mediaType: "image/png", data: "A".repeat(8_000_000) }] }),
  returns_half: () => ({ content: [{ type: "text", text: "half \ud83d of a pair" }] }),
};

story(
  "whatever a hand-made tool throws or returns, its call is answered",
  async (agent) => {
    agent.model.on("go").says(Object.keys(oddities).map((name) => call(name)));
    agent.model.on("half").replies("Odd.");
    agent.model.on("next").replies("Yes.");
    await agent.prompt("go");
    await agent.prompt("next");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → throws {}
                → throws_nothing {}
                → throws_no_words {}
                → returns_undefined {}
                → returns_empty {}
                → returns_no_content {}
                → returns_no_piece {}
                → returns_odd_json {}
                → returns_bigint {}
                → returns_blank {}
                → returns_bad_file {}
                → returns_huge_file {}
                → returns_half {}
      result    throws failed(tool_failed): The tool throws broke: out of paper �
      result    throws_nothing failed(tool_failed): The tool throws_nothing broke: undefined
      result    throws_no_words failed(tool_failed): The tool throws_no_words broke: it threw what cannot be shown
      result    returns_undefined ok: (model only) The tool returned nothing.
      result    returns_empty ok: (model only) The tool returned nothing.
      result    returns_no_content failed(tool_failed): The tool returns_no_content broke: it returned what is no result
      result    returns_no_piece failed(tool_failed): The tool returns_no_piece broke: it returned what is no result
      result    returns_odd_json ok: {"half �":["�"],"nan":null,"when":"<time>"}
      result    returns_bigint failed(tool_failed): The tool returns_bigint broke: Do not know how to serialize a BigInt
      result    returns_blank ok:
      result    returns_bad_file ok: [application/octet-stream: a file that is empty or no base64]
      result    returns_huge_file ok: [image/png: a file of 8000000 characters of base64, which is too large]
      result    returns_half ok: half � of a pair
      assistant Odd.
      outcome   completed
      user      next
      assistant Yes.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  {
    tools: () =>
      Object.entries(oddities).map(([name, run]) => handMadeTool({ ...SAFE, name, run: run as () => string })),
    cuts: 2,
  },
);

story(
  "a server that dies in mid-call is answered as lost, its next calls too, and it is back for the next request",
  async (agent) => {
    agent.model.on("go").says([call("mortal__crash"), call("mortal__total")]);
    agent.model.on("was lost during the call").calls("mortal__add", { a: 1, b: 2 });
    agent.model.on("3").replies("It is back.");
    await agent.prompt("go");
    const text = (await agent.transcript()).replaceAll(/calculator\.js\).*|\(command: .*/g, "…");
    expect(text).toMatchInlineSnapshot(`
      "user      go
      assistant → mortal__crash {}
                → mortal__total {}
      result    mortal__crash failed(tool_unavailable): The MCP server "mortal" was lost during the call, which may or may not have taken effect: it was ended by SIGKILL …
      result    mortal__total failed(tool_unavailable): The MCP server "mortal" is not available, so nothing was done: it was ended by SIGKILL …
      assistant → mortal__add {"a":1,"b":2}
      result    mortal__add ok: 3 {"result":3,"total":3}
      assistant It is back.
      outcome   completed"
    `);
    if (!isCut(agent))
      expect(agent.requests().map(({ tools }) => tools.includes("mortal__add"))).toEqual([true, true, true]);
    agent.model.assertNothingLeft();
  },
  { mcpServers: { mortal: calculatorServer() }, cuts: 1 },
);
