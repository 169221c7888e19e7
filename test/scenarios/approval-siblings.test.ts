/** Siblings of a call that waits for approval: those that need none run, those that are decided meanwhile join them. */
import { expect } from "vitest";
import type { CallId } from "../../src/core/ids.ts";
import { call, handMadeTool } from "../../src/testing/index.ts";
import type { Props } from "../../src/testing/index.ts";
import { story } from "../story.ts";

/** Reads until its gate is opened, and is safe to repeat. */
const reader = (props: Props) =>
  handMadeTool({
    name: "look",
    readOnly: true,
    idempotent: true,
    touches: [],
    run: async (_args, { signal }) => {
      await props.gate("looking").wait(signal);
      return "looked around";
    },
  });

/** Changes something of its own, so that it may overlap with the reader; needs approval, and is safe to repeat. */
const writer = (props: Props) =>
  handMadeTool({
    name: "sign",
    idempotent: true,
    touches: ["paper"],
    inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    run: async ({ name }, { signal }) => {
      await props.gate(`signing ${name as string}`).wait(signal);
      return `signed by ${name as string}`;
    },
  });

const tools = (props: Props) => [reader(props), writer(props)];

story(
  "siblings that need no approval run while one waits, and the model is not asked before all are settled",
  async (agent) => {
    agent.model.on("look and sign").says([call("sign", { name: "ada" }), call("look"), call("nothing_like_it")]);
    agent.model.on("signed by ada").replies("Done.");
    agent.gate("looking").release();
    agent.gate("signing ada").release();
    await agent.prompt("look and sign");
    expect(agent.requests()).toHaveLength(1);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look and sign
      assistant → sign {"name":"ada"}
                → look {}
                → nothing_like_it {}
      result    look ok: looked around
      result    nothing_like_it failed(tool_unavailable): The tool "nothing_like_it" is not available. Tools you can call: bash, edit, glob, grep, list, look, read, sign, write.
      asks      sign {"name":"ada"} (mode ask asks before tools that may do anything)
      outcome   awaiting_approval"
    `);
    await agent.steer("and hurry");
    await agent.run();
    expect(agent.requests()).toHaveLength(1);
    await agent.approve("sign");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look and sign
      assistant → sign {"name":"ada"}
                → look {}
                → nothing_like_it {}
      result    sign ok: signed by ada
      result    look ok: looked around
      result    nothing_like_it failed(tool_unavailable): The tool "nothing_like_it" is not available. Tools you can call: bash, edit, glob, grep, list, look, read, sign, write.
      steer     and hurry
      assistant Done.
      outcome   completed"
    `);
    expect(agent.requests()).toHaveLength(2);
  },
  { tools, mode: "ask", cuts: 3 },
);

story(
  "an approval that arrives while a sibling runs lets the call join it",
  async (agent) => {
    agent.model.on("look and sign").says([call("sign", { name: "ada" }), call("look"), call("sign", { name: "bob" })]);
    agent.model.on("signed by ada").replies("Both.");
    const running = agent.start("look and sign");
    await running.reached(agent.gate("looking"));
    await agent.approve(/ada/, { scope: "session" });
    await running.reached(agent.gate("signing ada"));
    await agent.deny(/bob/, "not bob");
    agent.gate("signing ada").release();
    agent.gate("looking").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look and sign
      assistant → sign {"name":"ada"}
                → look {}
                → sign {"name":"bob"}
      result    sign ok: signed by ada
      result    look ok: looked around
      denial    sign denied(human_rejected): The user denied this call: not bob. Do not try the same again; find another way or ask the user.
      assistant Both.
      outcome   completed"
    `);
    expect((await agent.session()).session.grants).toMatchObject([{ tool: "sign", pattern: "*" }]);
    expect(agent.requests()).toHaveLength(2);
  },
  { tools, mode: "ask", cuts: 3 },
);

story(
  "an approved call that would collide with what runs waits for it, and runs then",
  async (agent) => {
    agent.model.on("sign twice").says([call("sign", { name: "ada" }), call("sign", { name: "bob" })]);
    agent.model.on("signed by bob").replies("Both.");
    await agent.prompt("sign twice");
    await agent.approve(/ada/);
    const running = agent.start();
    await running.reached(agent.gate("signing ada"));
    await agent.approve(/bob/);
    agent.gate("signing bob").release();
    agent.gate("signing ada").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      sign twice
      assistant → sign {"name":"ada"}
                → sign {"name":"bob"}
      result    sign ok: signed by ada
      result    sign ok: signed by bob
      assistant Both.
      outcome   completed"
    `);
    const times = [...(await agent.session()).calls.settled].map(({ tool, attempts }) => `${tool} ${attempts}`);
    if (agent.mode !== "killed") expect(times).toEqual(["sign 1", "sign 1"]);
  },
  { tools, mode: "ask", cuts: 3 },
);

story(
  "edited arguments that arrive while a sibling runs are checked when it is done, and then run",
  async (agent) => {
    agent.model.on("look and sign").says([call("sign", { name: "ada" }), call("look"), call("sign", { name: "eve" })]);
    agent.model.on("signed by bob").replies("Bob did.");
    const running = agent.start("look and sign");
    await running.reached(agent.gate("looking"));
    await agent.approve(/ada/, { args: { name: "bob" } });
    await agent.approve(/eve/, { args: { name: 1, age: 2 } });
    agent.gate("signing bob").release();
    agent.gate("looking").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look and sign
      assistant → sign {"name":"ada"} (edited to {"name":"bob"})
                → look {}
                → sign {"name":"eve"}
      result    sign ok: The user edited the arguments before approving: {"name":"bob"} signed by bob
      result    look ok: looked around
      result    sign failed(tool_schema): The user edited the arguments, and the edited ones cannot run: arguments.name: must be string; got 1
      assistant Bob did.
      outcome   completed"
    `);
  },
  { tools, mode: "ask", cuts: 3 },
);

story(
  "a cancel while one call runs and its sibling waits for approval answers both, and a late approval is refused",
  async (agent) => {
    agent.model.on("look and sign").says([call("sign", { name: "ada" }), call("look")]);
    agent.model.on("never mind").replies("As you like.");
    const running = agent.start("look and sign");
    await running.reached(agent.gate("looking"));
    const [asked] = [...(await agent.session()).calls.open.values()];
    await agent.cancel();
    await running;
    expect(agent.outcome).toEqual({ status: "cancelled" });
    const late = agent.send({
      type: "decision",
      author: "user",
      callId: asked?.id as CallId,
      verdict: "approve",
    });
    await expect(late).rejects.toMatchObject({ name: "InputError", reason: "settled-target" });
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look and sign
      assistant → sign {"name":"ada"}
                → look {}
      result    sign interrupted(interrupted): The user interrupted this turn. It was not started.
      result    look ok: looked around
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant As you like.
      outcome   completed"
    `);
  },
  { tools, mode: "ask", cuts: 3 },
);
