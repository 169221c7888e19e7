/** Skills are one operation: listing, tool and command come together and go together. */
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { createPipeline } from "../../src/core/pipeline.ts";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import type { PipelinePorts } from "../../src/operations/pipeline.ts";
import { story } from "../story.ts";

const files = {
  ".agents/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: How to tidy up here.\n---\nBegin at the top.\n",
};
const home = {
  ".dacapo/skills/review/SKILL.md": "---\nname: review\ndescription: How to review\n---\nRead every line.\n",
  ".dacapo/skills/review/checklist.md": "1. names\n",
};

/** What the system prompt says of skills. */
const added = (system: string): string => /Skills are instructions[^]*?(?=\n\n|$)/.exec(system)?.[0] ?? "(nothing)";

story(
  "a skill is listed in the prompt, loaded by its tool, and its files can be read",
  async (agent) => {
    agent.model.on("review this").calls("load_skill", { name: "review", args: "main.ts" });
    agent.model.on("Read every line").calls("load_skill", { name: "revue" });
    const checklist = join(dirname(agent.workspace), "home", ".dacapo", "skills", "review", "checklist.md");
    agent.model.on("There is no skill").calls("read", { path: checklist });
    agent.model.on("names").replies("Reviewed.");
    await agent.prompt("review this");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      review this
      assistant → load_skill {"args":"main.ts","name":"review"}
      result    load_skill ok: Skill "review", in the folder <home>/.dacapo/skills/review:
                
                Read every line.
                
                Other files of this skill, relative to its folder:
                checklist.md
                
                It is to be applied to: main.ts
      assistant → load_skill {"name":"revue"}
      result    load_skill failed(tool_failed): There is no skill "revue". There are: review.
      assistant → read {"path":"<home>/.dacapo/skills/review/checklist.md"}
      result    read ok: 1	1. names
      assistant Reviewed.
      outcome   completed"
    `);
    expect(added(agent.requests()[0]?.system ?? "")).toMatchInlineSnapshot(`
      "Skills are instructions for particular kinds of work. When a task matches one, load it with load_skill before you begin.
      - review: How to review"
    `);
    expect(agent.requests()[0]?.tools).toContain("load_skill");
  },
  { home, cuts: 5 },
);

story(
  "commands list the skills of the person and of the workspace, and themselves",
  async (agent) => {
    await agent.prompt("/skills");
    await agent.prompt("/help");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      /skills
      notice    (user only) review: How to review
                  <home>/.dacapo/skills/review
                tidy: How to tidy up here.
                  <workspace>/.agents/skills/tidy
      outcome   completed
      user      /help
      notice    (user only) /help: List the commands
                /skills: List the skills that can be loaded, where they come from, and what is wrong with others
      outcome   completed"
    `);
    expect(agent.requests()).toEqual([]);
  },
  { home, files, cuts: 4 },
);

function withoutSkills(ports: PipelinePorts) {
  return createPipeline(standardPipeline(ports).operations.filter(({ name }) => name !== "skills"));
}

story(
  "without the operation there is no listing, no tool and no command",
  async (agent) => {
    agent.model.on("/skills").calls("load_skill", { name: "review" });
    agent.model.on("not available").replies("There are no skills.");
    await agent.prompt("/skills");
    await agent.prompt("/help");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      /skills
      assistant → load_skill {"name":"review"}
      result    load_skill failed(tool_unavailable): The tool "load_skill" is not available. Tools you can call: bash, edit, glob, grep, list, read, write.
      assistant There are no skills.
      outcome   completed
      user      /help
      notice    (user only) /help: List the commands
      outcome   completed"
    `);
    expect(added(agent.requests()[0]?.system ?? "")).toBe("(nothing)");
    expect(agent.requests()[0]?.tools).not.toContain("load_skill");
  },
  { home, pipeline: withoutSkills, cuts: 4 },
);

story(
  "without a skill nothing of them reaches the model",
  async (agent) => {
    agent.model.on("hello").replies("Hello.");
    await agent.prompt("hello");
    expect(added(agent.requests()[0]?.system ?? "")).toBe("(nothing)");
    expect(agent.requests()[0]?.tools).not.toContain("load_skill");
  },
  { cuts: 1 },
);
