/** Prompts and steers that were sent before a cancel are held: listed, withdrawable, and released when the person speaks again. */
import { expect } from "vitest";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sendFromElsewhere, words } from "./elsewhere.ts";

/** A turn that is cancelled while a prompt and a steer wait. */
async function cancelled(agent: Agent, waiting: () => Promise<unknown>): Promise<void> {
  agent.model.on("one").replies(["First ", "answer"]).hold({ after: 1 });
  const running = agent.start("one");
  await running.shown("First ");
  await waiting();
  await agent.cancel();
  await running;
  expect(agent.outcome).toEqual({ status: "cancelled" });
}

async function heldTexts(agent: Agent): Promise<readonly string[]> {
  return (await agent.session()).inputs.map(({ input, held }) => `${held ? "held" : "pending"} ${input.type}`);
}

story(
  "what waited when the turn was cancelled is held, and the next prompt releases all of it in its order",
  async (agent) => {
    agent.model.on(/and be brief\ntwo/).replies("Second.");
    agent.model.on("three").replies("Third.");
    agent.model.on("four").replies("Fourth.");
    await cancelled(agent, async () => {
      await agent.queue("two");
      await agent.steer("and be brief");
      await agent.queue("three");
    });
    expect(await heldTexts(agent)).toEqual(["held prompt", "held steer", "held prompt"]);
    const requests = agent.requests().length;
    await agent.run();
    expect(agent.outcome).toEqual({ status: "cancelled" });
    expect(agent.requests()).toHaveLength(requests);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      held      prompt two
      held      steer and be brief
      held      prompt three
      outcome   cancelled"
    `);
    await agent.prompt("four");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      steer     and be brief
      user      two
      assistant Second.
      outcome   completed
      user      three
      assistant Third.
      outcome   completed
      user      four
      assistant Fourth.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { cuts: 3 },
);

story(
  "what is held can be withdrawn, by two people at once, and never arrives",
  async (agent) => {
    agent.model.on("four").replies("Fourth.");
    const sent: { inputId: string }[] = [];
    await cancelled(agent, async () => {
      sent.push(await agent.queue("two"), await agent.steer("and be brief"));
    });
    for (const { inputId } of sent) {
      const withdraw = { type: "withdraw", inputId: inputId as never } as const;
      await Promise.all([sendFromElsewhere(agent, withdraw, "ada"), sendFromElsewhere(agent, withdraw, "grace")]);
    }
    await agent.prompt("four");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      user      four
      assistant Fourth.
      outcome   completed"
    `);
    expect(JSON.stringify(agent.requests().at(-1)?.body)).not.toMatch(/two|brief/);
    const late = agent.withdraw({ status: "appended", seq: 0, inputId: sent[0]?.inputId as never });
    await expect(late).rejects.toMatchObject({ name: "InputError", reason: "settled-target" });
  },
  { cuts: 3 },
);

story(
  "a continue releases what is held after the turn that it goes on with, and steers into it",
  async (agent) => {
    agent.model.on(/and be brief/).replies("Very brief.");
    agent.model.on("two").replies("Second.");
    await cancelled(agent, async () => {
      await agent.queue("two");
      await agent.steer("and be brief");
    });
    await agent.continue();
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      steer     and be brief
      assistant Very brief.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { cuts: 3 },
);

story(
  "a prompt that is sent after the cancel and before it is heard is not held",
  async (agent) => {
    agent.model.on("before").replies("Before.");
    agent.model.on("after").replies("After.");
    await cancelled(agent, () => agent.queue("before"));
    await sendFromElsewhere(agent, { type: "cancel" });
    await sendFromElsewhere(agent, { type: "prompt", parts: words("after") });
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      user      before
      assistant Before.
      outcome   completed
      user      after
      assistant After.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { cuts: 3 },
);

story(
  "a cancel voids a continue that was sent before it",
  async (agent) => {
    agent.model.on("two").replies("Second.");
    await cancelled(agent, () => agent.continue());
    expect((await agent.session()).inputs).toEqual([]);
    await agent.continue();
    await agent.cancel();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "cancelled" });
    expect(agent.requests().length).toBeLessThan(2);
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      user      two
      assistant Second.
      outcome   completed"
    `);
  },
  { cuts: 3 },
);

story(
  "what was decided cannot be withdrawn, so that its call does not wait for ever",
  async (agent) => {
    agent.model.on("work").calls("bash", { command: "true" });
    agent.model.on("exit code 0").replies("Done.");
    await agent.prompt("work");
    const decision = await agent.approve("bash");
    await expect(agent.withdraw(decision)).rejects.toMatchObject({ name: "InputError", reason: "settled-target" });
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      work
      assistant → bash {"command":"true"}
      result    bash ok: [exit code 0, no output]
      assistant Done.
      outcome   completed"
    `);
  },
  { mode: "ask", cuts: 1 },
);

story(
  "a session that is cancelled before its first turn stands at cancelled, and its prompt waits",
  async (agent) => {
    agent.model.on("one").replies("First.");
    agent.model.on("two").replies("Second.");
    await agent.queue("one");
    await agent.cancel();
    expect((await agent.run()).outcome).toEqual({ status: "cancelled" });
    expect(await heldTexts(agent)).toEqual(["held prompt"]);
    expect(agent.requests()).toEqual([]);
    await agent.prompt("two");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First.
      outcome   completed
      user      two
      assistant Second.
      outcome   completed"
    `);
  },
  { cuts: 3 },
);
