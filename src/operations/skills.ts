/** Skills: folders of instructions that the model loads when a task calls for them; listing, tool and command go together. */
import { z } from "zod";
import { isReady } from "../core/call.ts";
import type { Call } from "../core/call.ts";
import type { Contribution } from "../core/contribution.ts";
import { wordsOf } from "../core/error.ts";
import { JsonObject } from "../core/json.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { Command } from "../core/operation.ts";
import { settleCall } from "../core/settle-open.ts";
import type { Settlement } from "../core/settle-open.ts";
import type { Tool } from "../core/tool.ts";

/** What a skill says of itself, and the absolute path of its folder. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly folder: string;
}

/** Instructions without their front matter; `files` are the skill's other files, relative to `folder`. */
export interface LoadedSkill {
  readonly text: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/** Where skills come from. Skills are in the order of their names; a missing folder has none. */
export interface SkillLibrary {
  list(workspace: string): Promise<readonly Skill[]>;
  /** One line for each skill that is there and cannot be used, and why. */
  problems(workspace: string): Promise<readonly string[]>;
  /** Undefined if there is no such skill. */
  load(workspace: string, name: string): Promise<LoadedSkill | undefined>;
}

const Input = z.object({
  name: z.string().min(1).describe("The name of the skill, as listed."),
  args: z.string().optional().describe("What the skill is to be applied to, if it takes anything."),
});

const tool: Tool = {
  spec: {
    name: "load_skill",
    description:
      "Loads the instructions of one of the available skills. Follow them; its files can then be read by path.",
    inputSchema: inputSchema(),
  },
  declaration: { readOnly: true, idempotent: true, touches: [] },
  check(args) {
    const input = Input.safeParse(args);
    if (!input.success) return { ok: false, problem: z.prettifyError(input.error) };
    return { ok: true, args, subject: input.data.name };
  },
};

/** Without skills it contributes nothing, so a session that has none pays nothing for them. */
export function skills(library: SkillLibrary) {
  return defineOperation({
    name: "skills",
    reads: ["session", "calls"],
    writes: ["call.dispatch", "call.settle", "message.append"],
    durability: "on-barrier",
    commands: [skillsCommand(library)],
    claim({ calls }) {
      const ready = [...calls.open.values()].filter((call) => call.owner === "skills" && isReady(call));
      if (ready.length === 0) return pass("no call for a skill is ready");
      return claim(ready, `loads ${ready.length} ${ready.length === 1 ? "skill" : "skills"}`);
    },
    async *run(ready, ctx, { session }) {
      for (const call of ready) {
        yield [{ type: "call.dispatch", id: call.id, epoch: ctx.epoch }];
        await ctx.barrier();
        const { text, ...came } = await loaded(call, library, session.workspace);
        yield settleCall(call, { ...came, text: ctx.clean(text) }, ctx.newId);
        if (ctx.signal.aborted) return;
      }
    },
    contribute: async ({ session }) => listing(await library.list(session.workspace)),
  });
}

function inputSchema(): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(Input);
  return JsonObject.parse(schema);
}

function listing(available: readonly Skill[]): Contribution {
  if (available.length === 0) return {};
  const lines = available.map(({ name, description }) => `- ${name}: ${oneLine(description)}`);
  const intro =
    "Skills are instructions for particular kinds of work. When a task matches one, load it with load_skill before you begin.";
  return { tools: [tool], prompt: [intro, ...lines].join("\n") };
}

/** Never throws: what goes wrong is for the model to know. */
async function loaded(call: Call, library: SkillLibrary, workspace: string): Promise<Settlement> {
  try {
    const input = Input.parse(call.args);
    const skill = await library.load(workspace, input.name);
    if (skill) return { status: "succeeded", text: instructions(input, skill) };
    const names = (await library.list(workspace)).map(({ name }) => name).join(", ");
    return failure(`There is no skill "${input.name}". ${names ? `There are: ${names}.` : "There are none."}`);
  } catch (error) {
    return failure(`The skill could not be loaded: ${wordsOf(error)}`);
  }
}

function failure(text: string): Settlement {
  return { status: "failed", errorKind: "tool_failed", text };
}

function instructions({ name, args }: z.infer<typeof Input>, { text, folder, files }: LoadedSkill): string {
  const parts = [`Skill "${name}", in the folder ${folder}:`, text];
  if (files.length > 0) parts.push(`Other files of this skill, relative to its folder:\n${files.join("\n")}`);
  if (args) parts.push(`It is to be applied to: ${args}`);
  return parts.join("\n\n");
}

function skillsCommand(library: SkillLibrary): Command {
  return {
    name: "skills",
    description: "List the skills that can be loaded, where they come from, and what is wrong with others",
    async run(_args, { workspace }) {
      const [available, problems] = await Promise.all([library.list(workspace), library.problems(workspace)]);
      const lines = available.map(({ name, description, folder }) => `${name}: ${oneLine(description)}\n  ${folder}`);
      if (lines.length === 0) lines.push("There are no skills.");
      if (problems.length > 0) lines.push("Not usable:", ...problems.map((problem) => `  ${problem}`));
      return { notice: lines.join("\n") };
    },
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
