/** The rules as a JSON file. */
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  fakeModelScriptJsonSchema,
  parseFakeModelScript,
  startFakeModel,
  startFakeModelFromScript,
  type FakeModel,
} from "../../src/testing/index.ts";
import { client, user } from "./fake-model-client.ts";

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

test("a script read from JSON drives a task with tools", async () => {
  const scripted = await startFakeModelFromScript({
    rules: [
      {
        when: "fix the typo",
        reply: {
          type: "message",
          content: [
            { type: "text", text: "Let me look." },
            { type: "call", name: "read", input: { path: "a.txt" } },
          ],
        },
      },
      {
        when: { regex: "HELO", flags: "i" },
        reply: {
          type: "message",
          content: [{ type: "call", name: "edit", input: { path: "a.txt", oldText: "helo", newText: "hello" } }],
        },
      },
    ],
    otherwise: { type: "message", content: [{ type: "text", text: "Done." }] },
  });
  const answers: unknown[] = [];
  for (const said of ["please fix the typo", "1: helo world", "edited"]) {
    const { content } = await client(scripted.url, "openai").doGenerate({ prompt: [user(said)] });
    answers.push(
      content.map((part) =>
        part.type === "tool-call" ? `${part.toolName} ${part.input}` : part.type === "text" ? part.text : part.type,
      ),
    );
  }
  expect(answers).toEqual([
    ["Let me look.", 'read {"path":"a.txt"}'],
    ['edit {"path":"a.txt","oldText":"helo","newText":"hello"}'],
    ["Done."],
  ]);
  scripted.assertNothingLeft();
  await scripted.close();
});

test("a script that is wrong is refused with each place, its value and what is expected there", () => {
  const message = { type: "message", content: [] };
  const script = {
    rules: [
      { when: 5, reply: message },
      { when: { regex: "(" }, times: 0, reply: message },
      { when: "a", reply: { type: "mesage" } },
      {
        when: "a",
        repply: message,
        reply: { type: "message", content: [{ type: "call", name: 3 }], fault: { type: "cut", after: -1 } },
      },
      { when: "a", reply: { type: "http-error", status: 200 } },
    ],
  };
  expect(() => parseFakeModelScript(script)).toThrowErrorMatchingInlineSnapshot(`
      [FakeModelScriptError: The script of the fake model is not valid:
      - rules[0].when: 5 given; expected a text, or {"regex": "…"}
      - rules[1].when.regex: "(" given; expected a regular expression of JavaScript
      - rules[1].times: 0 given; Too small: expected number to be >=1
      - rules[2].reply.type: "mesage" given; expected a reply with a type of: message, http-error, context-too-long, html, no-choices, silence, reset
      - rules[3].reply.content[0].name: 3 given; Invalid input: expected string, received number
      - rules[3].reply.fault.after: -1 given; Too small: expected number to be >=0
      - rules[3].repply: {"type":"message","content":[]} given; unknown key, expected one of: when, times, hold, reply
      - rules[4].reply.status: 200 given; Too small: expected number to be >=400]
    `);
});

test("the script in the documentation is valid", async () => {
  const page = await readFile(new URL("../../docs/fake-model.md", import.meta.url), "utf8");
  const script: unknown = JSON.parse(/```json\n([^]*?)```/.exec(page)?.[1] ?? "");
  expect(parseFakeModelScript(script).rules).toHaveLength(5);
});

// Written again by `npx vitest run test/testing/fake-model-script.test.ts -u`.
test("the published schema is the one that the code checks", async () => {
  const schema = JSON.stringify(fakeModelScriptJsonSchema(), null, 2);
  await expect(`${schema}\n`).toMatchFileSnapshot("../../docs/fake-model.schema.json");
});
