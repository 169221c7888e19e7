/** What a model may send as arguments: what can be understood runs, of everything else it is told what is wrong. */
import { expect } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { call, handMadeTool } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { callsSent, resultsSent, SAFE } from "./tool-kit.ts";

/** Answers with the arguments that it got. */
const echo = (name: string, properties: JsonObject) =>
  handMadeTool({
    ...SAFE,
    name,
    inputSchema: { type: "object", properties },
    run: (args) => JSON.stringify(args),
  });

story(
  "numbers and booleans that come as text are understood where the schema asks for them, and nowhere else",
  async (agent) => {
    agent.model
      .on("add")
      .says([
        call("calculator__add", { a: "1", b: "-2.5e1" }),
        call("read", { path: "lines.txt", offset: "2", limit: "1" }),
        call("edit", { path: "lines.txt", oldText: "3", newText: "4", replaceAll: "true" }),
        call("echo", { text: "007", deep: [{ on: "false" }], either: "12" }),
      ]);
    agent.model.on("-24").replies("Done.");
    agent.model.on("next").replies("Yes?");
    await agent.prompt("add");
    await agent.prompt("next");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      add
      assistant → calculator__add {"a":"1","b":"-2.5e1"}
                → read {"limit":"1","offset":"2","path":"lines.txt"}
                → edit {"newText":"4","oldText":"3","path":"lines.txt","replaceAll":"true"}
                → echo {"deep":[{"on":"false"}],"either":"12","text":"007"}
      result    calculator__add ok: -24 {"result":-24,"total":-24}
      result    read ok: 2	2
                [lines 2 to 2; more follow: read {"path":"lines.txt","offset":3}]
      result    edit ok: Edited lines.txt: 2 replacements.
                @@ -1,4 +1,4 @@
                 1
                 2
                -3
                +4
                 3
                @@ -1,4 +1,4 @@
                 1
                 2
                 3
                -3
                +4
      result    echo ok: {"deep":[{"on":false}],"either":"12","text":"007"}
      assistant Done.
      outcome   completed
      user      next
      assistant Yes?
      outcome   completed"
    `);
    expect(callsSent(agent)[0]).toBe('calculator__add {"a":"1","b":"-2.5e1"}');
    expect(await agent.read("lines.txt")).toBe("1\n2\n4\n4\n");
    agent.model.assertNothingLeft();
  },
  {
    calculator: "trusted",
    files: { "lines.txt": "1\n2\n3\n3\n" },
    tools: () => [
      echo("echo", {
        text: { type: "string" },
        deep: { type: "array", items: { type: "object", properties: { on: { type: "boolean" } } } },
        either: { type: ["string", "number"] },
      }),
    ],
    cuts: 2,
  },
);

story(
  "text that is no number, and a number that no double can hold, are not made one",
  async (agent) => {
    agent.model
      .on("add")
      .says(["1 000", "0x10", "", "9007199254740993", "NaN", "1.5"].map((n) => call("count", { n })));
    agent.model.on("do not fit").replies("I see.");
    await agent.prompt("add");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      add
      assistant → count {"n":"1 000"}
                → count {"n":"0x10"}
                → count {"n":""}
                → count {"n":"9007199254740993"}
                → count {"n":"NaN"}
                → count {"n":"1.5"}
      result    count failed(tool_schema): The arguments do not fit the tool count: arguments.n: must be integer; got "1 000"
      result    count failed(tool_schema): The arguments do not fit the tool count: arguments.n: must be integer; got "0x10"
      result    count failed(tool_schema): The arguments do not fit the tool count: arguments.n: must be integer; got ""
      result    count failed(tool_schema): The arguments do not fit the tool count: arguments.n: must be integer; got "9007199254740993"
      result    count failed(tool_schema): The arguments do not fit the tool count: arguments.n: must be integer; got "NaN"
      result    count failed(tool_schema): The arguments do not fit the tool count: arguments.n: must be integer; got "1.5"
      assistant I see.
      outcome   completed"
    `);
    expect(resultsSent(agent)).toHaveLength(6);
  },
  { tools: () => [echo("count", { n: { type: "integer" } })], cuts: 2 },
);

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `arguments that are no JSON object are answered with what they were, on ${protocol}`,
    async (agent) => {
      agent.model
        .on("go")
        .says([
          call("echo", {}, { rawInput: '{"text": "cut of' }),
          call("echo", [1, 2]),
          call("echo", "text"),
          call("echo", null),
          call("echo", {}, { rawInput: '{"text":"first"}{"text":"second"}' }),
          call("echo", {}, { rawInput: '{"text":"half \\ud83d"}' }),
          call("echo", {}, { rawInput: "" }),
          call("echo", { text: "well" }),
        ]);
      agent.model.on("well").replies("One of eight ran.");
      await agent.prompt("go");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → echo (raw) {"text": "cut of
                  → echo (raw) [1,2]
                  → echo (raw) "text"
                  → echo (raw) null
                  → echo (raw) {"text":"first"}{"text":"second"}
                  → echo {"text":"half �"}
                  → echo {}
                  → echo {"text":"well"}
        result    echo failed(tool_schema): The arguments are not a JSON object: {"text": "cut of
        result    echo failed(tool_schema): The arguments are not a JSON object: [1,2]
        result    echo failed(tool_schema): The arguments are not a JSON object: "text"
        result    echo failed(tool_schema): The arguments are not a JSON object: null
        result    echo failed(tool_schema): The arguments are not a JSON object: {"text":"first"}{"text":"second"}
        result    echo ok: {"text":"half �"}
        result    echo ok: {}
        result    echo ok: {"text":"well"}
        assistant One of eight ran.
        outcome   completed"
      `);
      expect(callsSent(agent)).toEqual([
        ...Array.from({ length: 5 }, () => "echo {}"),
        'echo {"text":"half \uFFFD"}',
        "echo {}",
        'echo {"text":"well"}',
      ]);
      agent.model.assertNothingLeft();
    },
    {
      protocol,
      tools: () => [echo("echo", { text: { type: "string" } })],
      cuts: 2,
    },
  );
}

story(
  "arguments that do not fit the schema are answered with every place that is wrong",
  async (agent) => {
    agent.model
      .on("go")
      .says([
        call("calculator__add", { b: "two" }),
        call("read", { path: "a", offset: 0, lines: 3 }),
        call("write", { path: "a.txt" }),
        call("bash", { command: "touch ran", timeoutSeconds: 3600 }),
        call("pick", { colour: "blue" }),
        call("pick", {}, { rawInput: '{"colour":"red","__proto__":{"colour":"blue"}}' }),
      ]);
    agent.model.on("do not fit").replies("I see.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → calculator__add {"b":"two"}
                → read {"lines":3,"offset":0,"path":"a"}
                → write {"path":"a.txt"}
                → bash {"command":"touch ran","timeoutSeconds":3600}
                → pick {"colour":"blue"}
                → pick {"__proto__":{"colour":"blue"},"colour":"red"}
      result    calculator__add failed(tool_schema): The arguments do not fit the tool calculator__add: arguments: must have the property "a"; got {"b":"two"}
                arguments.b: must be number; got "two"
      result    read failed(tool_schema): The arguments do not fit the tool read: arguments: must not have the property "lines" (known: path, offset, limit); got {"lines":3,"offset":0,"path":"a"}
                arguments.offset: must be >= 1; got 0
      result    write failed(tool_schema): The arguments do not fit the tool write: arguments: must have the property "content"; got {"path":"a.txt"}
      result    bash failed(tool_schema): The arguments do not fit the tool bash: arguments.timeoutSeconds: must be <= 600; got 3600
      result    pick failed(tool_schema): The arguments do not fit the tool pick: arguments.colour: must be one of ["red","green"]; got "blue"
      result    pick ok: {"__proto__":{"colour":"blue"},"colour":"red"}
      assistant I see.
      outcome   completed"
    `);
    await expect(agent.read("a.txt")).rejects.toThrow("ENOENT");
    await expect(agent.read("ran")).rejects.toThrow("ENOENT");
    expect(await agent.effects()).toEqual([]);
  },
  {
    calculator: "trusted",
    tools: () => [echo("pick", { colour: { enum: ["red", "green"] } })],
    cuts: 2,
  },
);
