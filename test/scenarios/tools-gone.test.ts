/** Tools that come and go: only what a request advertised may be called, and what is gone is answered with what is left. */
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { pass } from "../../src/core/operation.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { withTools } from "./tool-kit.ts";

story(
  "a tool whose server is gone is answered with those that are left, and never taken for another one",
  async (agent) => {
    agent.model.on("go").says([call("disk__list"), call("list")]);
    agent.model.on("I am disk__list").replies("Both are there.");
    agent.model.on("next").says([call("disk__list"), call("disk.list"), call("list")]);
    agent.model.on("not available").replies("The disk is gone.");
    await agent.prompt("go");
    await writeFile(join(agent.workspace, "no disk__list"), "");
    await agent.prompt("next");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → disk__list {}
                → list {}
      result    disk__list ok: I am disk__list
      result    list ok: I am list
      assistant Both are there.
      outcome   completed
      user      next
      assistant → disk__list {}
                → disk.list {}
                → list {}
      result    disk__list failed(tool_unavailable): The tool "disk__list" is not available. Tools you can call: list.
      result    disk.list failed(tool_unavailable): The tool "disk.list" is not available. Tools you can call: list.
      result    list ok: I am list
      assistant The disk is gone.
      outcome   completed"
    `);
    expect(agent.requests().map(({ tools }) => tools)).toEqual([
      ["disk__list", "list"],
      ["disk__list", "list"],
      ["list"],
      ["list"],
    ]);
    agent.model.assertNothingLeft();
  },
  { pipeline: withTools("disk__list", "list"), cuts: 2 },
);

story(
  "a tool that comes while the model speaks may be called from the next request on",
  async (agent) => {
    const hold = agent.model.on("go").calls("late").hold({ after: 0 });
    agent.model.on("it is now").calls("late");
    agent.model.on("I am late").replies("There it is.");
    await writeFile(join(agent.workspace, "no late"), "");
    const running = agent.start("go");
    await running.reached(hold);
    await rm(join(agent.workspace, "no late"), { force: true });
    hold.release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → late {}
      result    late failed(tool_unavailable): The tool "late" was not available when you called it; it is now.
      assistant → late {}
      result    late ok: I am late
      assistant There it is.
      outcome   completed"
    `);
    expect(agent.requests().map(({ tools }) => tools)).toEqual([["list"], ["late", "list"], ["late", "list"]]);
    agent.model.assertNothingLeft();
  },
  { pipeline: withTools("list", "late"), cuts: 2 },
);

story(
  "a call that was approved while its tool was there is answered when the tool is gone",
  async (agent) => {
    agent.model.on("go").says([call("calculator__add", { a: 1 })]);
    agent.model.on("not available").replies("Then not.");
    await agent.prompt("go");
    expect(agent.outcome).toEqual({ status: "awaiting_approval" });
    await writeFile(join(agent.workspace, "gone"), "");
    await agent.approve("calculator__add");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → calculator__add {"a":1}
      result    calculator__add failed(tool_unavailable): The tool "calculator__add" is not available. Tools you can call: bash, edit, glob, grep, list, read, write.
      assistant Then not.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual([]);
  },
  {
    mode: "ask",
    calculator: "untrusted",
    pipeline: (ports) =>
      standardPipeline({
        ...ports,
        tools: {
          tools: async (workspace) => {
            const tools = await ports.tools.tools(workspace);
            return existsSync(join(workspace, "gone")) ? tools.filter(({ server }) => server === undefined) : tools;
          },
        },
      }),
    cuts: 2,
  },
);

story(
  "a call whose operation no longer runs it is answered with what can be called",
  async (agent) => {
    agent.model.on("go").says([call("load_skill", { name: "greet" })]);
    agent.model.on("not available").replies("Then not.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → load_skill {"name":"greet"}
      result    load_skill failed(tool_unavailable): The tool "load_skill" is not available. Tools you can call: bash, edit, glob, grep, list, load_skill, read, write.
      assistant Then not.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  {
    home: { ".dacapo/skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n" },
    pipeline: (ports) =>
      createPipeline(
        standardPipeline(ports).operations.map((operation) =>
          operation.name === "skills" ? { ...operation, claim: () => pass("retired") } : operation,
        ),
      ),
    cuts: 2,
  },
);
