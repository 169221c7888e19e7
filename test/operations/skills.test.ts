/** Skills: listing, tool and command belong together, and loading one is a call like any other. */
import { expect, test } from "vitest";
import { createPipeline } from "../../src/core/pipeline.ts";
import { command } from "../../src/operations/command.ts";
import { settle } from "../../src/operations/settle.ts";
import { skills } from "../../src/operations/skills.ts";
import type { SkillLibrary } from "../../src/operations/skills.ts";
import { driven, killedEverywhere, model, started, transcript } from "./drive.ts";

const tidy = { name: "tidy", description: "Tidies\n a folder.", folder: "/skills/tidy" };
const library: SkillLibrary = {
  list: async () => [tidy],
  problems: async () => ["/skills/odd: description is missing"],
  load: async (_workspace, name) =>
    name === "tidy" ? { text: "Move things.", folder: "/skills/tidy", files: ["scripts/move.sh"] } : undefined,
};
const none: SkillLibrary = { list: async () => [], problems: async () => [], load: async () => undefined };

const machine = (name: string) => [
  command(),
  skills(library),
  model([{ calls: [{ tool: "load_skill", owner: "skills", args: { name } }] }, "fine"]),
  settle(),
];

test("Skills are listed in the prompt with the tool that loads them, and the tool set stays the same.", async () => {
  const pipeline = createPipeline([skills(library)]);
  const first = await pipeline.contributions(started("hello"));
  expect(first.system).toMatch(/^Skills are .*\n- tidy: Tidies a folder\.$/);
  expect(first.specs).toMatchObject([{ name: "load_skill", inputSchema: { type: "object", required: ["name"] } }]);
  expect((await pipeline.contributions(started("hello"))).specs).toBe(first.specs);
});

test("Without skills there is neither a tool nor a word in the prompt.", async () => {
  const { specs, system } = await createPipeline([skills(none)]).contributions(started("hello"));
  expect({ specs, system }).toEqual({ specs: [], system: "" });
});

test("The tool checks its arguments and is matched by the skill's name.", async () => {
  const { tools } = await createPipeline([skills(library)]).contributions(started("hello"));
  const tool = tools.get("load_skill")?.tool;
  expect(tool?.check({ name: "tidy" })).toEqual({ ok: true, args: { name: "tidy" }, subject: "tidy" });
  expect(tool?.check({ args: "x" })).toMatchObject({ ok: false, problem: expect.stringContaining("name") });
});

test("A skill is loaded with its folder and files, and the same wherever the process is killed.", async () => {
  const story = (killedAfter: readonly number[]) => driven(started("hello"), machine("tidy"), { killedAfter });
  for (const { session } of [await story([]), ...(await killedEverywhere(story))]) {
    expect(session.turn?.outcome).toEqual({ status: "completed" });
    expect(transcript(session)).toEqual([
      "prompt: hello",
      "reply: call",
      'result: Skill "tidy", in the folder /skills/tidy:\n\nMove things.\n\nOther files of this skill, relative to its folder:\nscripts/move.sh',
      "reply: fine",
    ]);
  }
});

test("A skill that is not there is an error result that names those that are.", async () => {
  const { session } = await driven(started("hello"), machine("tidi"));
  expect([...session.calls.settled].map(({ status }) => status)).toEqual(["failed"]);
  expect(transcript(session)).toContain('result: There is no skill "tidi". There are: tidy.');
});

test("A library that throws is an error result and no crash.", async () => {
  const failing = { ...library, load: () => Promise.reject(new Error("disk gone")) };
  const [, , infer, end] = machine("tidy");
  const { session } = await driven(started("hello"), [skills(failing), infer!, end!]);
  expect(transcript(session)).toContain("result: The skill could not be loaded: disk gone");
});

test("The command lists skills with where they come from and what is wrong with others.", async () => {
  const { session } = await driven(started("/skills"), [command(), skills(library)]);
  expect(transcript(session).at(-1)).toBe(
    "notice: tidy: Tidies a folder.\n  /skills/tidy\nNot usable:\n  /skills/odd: description is missing",
  );
});
