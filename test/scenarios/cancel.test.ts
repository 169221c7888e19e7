/** A cancel while the model speaks: what was said is kept, nothing that comes later counts, and the session goes on. */
import { expect } from "vitest";
import { call, reasoning, text } from "../../src/testing/index.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { sendFromElsewhere } from "./elsewhere.ts";
import { sent } from "./sent.ts";

async function lastFinish(agent: Agent) {
  const replies = (await agent.entries()).flatMap((entry) =>
    entry.type === "commit"
      ? entry.effects.flatMap((effect) =>
          effect.type === "message.append" && effect.reply ? [effect.reply.finish] : [],
        )
      : [],
  );
  return replies;
}

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `a cancel in mid-sentence keeps the half sentence, marked as cut, on ${protocol}`,
    async (agent) => {
      const hold = agent.model.on("tell me a story").replies(["Once upon ", "a time"]).hold({ after: 1 });
      agent.model.on("never mind").replies("Very well.");
      const running = agent.start("tell me a story");
      await running.shown("Once upon");
      await agent.cancel();
      await running;
      await hold.abandoned;
      expect(agent.outcome).toEqual({ status: "cancelled" });
      const before = await agent.entries();
      hold.release();
      await agent.run();
      expect(await agent.entries()).toEqual(before);
      await agent.prompt("never mind");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      tell me a story
        assistant Once upon
        notice    The user interrupted this turn.
        outcome   cancelled
        user      never mind
        assistant Very well.
        outcome   completed"
      `);
      if (agent.cut === undefined) expect(await lastFinish(agent)).toEqual(["aborted", "stop"]);
      expect(sent(agent.requests().at(-1))).toContain("Once upon");
    },
    { protocol, cuts: 3 },
  );
}

story(
  "a cancel before the first word keeps nothing but says that there was one",
  async (agent) => {
    const hold = agent.model.on("tell me a story").replies("Once upon a time").hold();
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("tell me a story");
    await running.reached(hold);
    await agent.cancel();
    await running;
    await hold.abandoned;
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      tell me a story
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
  },
  { cuts: 2 },
);

story(
  "a cancel while the model thinks does not send the half thought back",
  async (agent) => {
    const hold = agent.model
      .on("think")
      .says([reasoning(["Let me ", "see"]), text("Yes.")])
      .hold({ after: 1 });
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("think");
    await running.reached(hold);
    await agent.cancel();
    await running;
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      think
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
    expect(sent(agent.requests().at(-1))).not.toContain("Let me");
  },
  { cuts: 2 },
);

story(
  "a cancel after a thought and some words keeps both, and the provider takes the thought back",
  async (agent) => {
    agent.model
      .on("think")
      .says([reasoning("Hm."), text(["Well, ", "yes."])])
      .hold({ after: 4 });
    agent.model.on("never mind").replies("Very well.");
    const running = agent.start("think");
    await running.shown("Well, ");
    await agent.cancel();
    await running;
    await agent.prompt("never mind");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      think
      assistant (thinks: Hm.) Well,
      notice    The user interrupted this turn.
      outcome   cancelled
      user      never mind
      assistant Very well.
      outcome   completed"
    `);
    if (agent.cut === undefined)
      expect(sent(agent.requests().at(-1))).toMatchInlineSnapshot(`
      "user: think
      assistant: thinking "Hm." (signed) | Well, 
      user: The user interrupted this turn. | never mind"
    `);
  },
  { cuts: 2 },
);

for (const after of [2, 99]) {
  story(
    `a cancel while calls are being written runs none of them and keeps none, after ${after} deltas`,
    async (agent) => {
      const hold = agent.model
        .on("add")
        .says([text(["Adding: "]), call("calculator__add", { a: 1, b: 2 }), call("calculator__add", { a: 3, b: 4 })])
        .hold({ after });
      agent.model.on("never mind").replies("Very well.");
      const running = agent.start("add");
      await running.shown("Adding: ");
      await running.reached(hold);
      await agent.cancel();
      await running;
      await agent.prompt("never mind");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      add
        assistant Adding:
        notice    The user interrupted this turn.
        outcome   cancelled
        user      never mind
        assistant Very well.
        outcome   completed"
      `);
      expect((await agent.session()).calls.settled).toHaveLength(0);
      expect(agent.everyEffect()).toEqual([]);
      expect(sent(agent.requests().at(-1))).not.toContain("calculator__add");
    },
    { calculator: "untrusted", cuts: 2 },
  );
}

story(
  "whoever aborts the run, or cancels from another process, stops the model just the same",
  async (agent) => {
    agent.model.on("one").replies(["First ", "story"]).hold({ after: 1 });
    agent.model.on("two").replies(["Second ", "story"]).hold({ after: 1 });
    agent.model.on("three").replies("Third story.");
    const aborted = agent.start("one");
    await aborted.shown("First ");
    aborted.abort();
    await aborted;
    const cancelled = agent.start("two");
    await cancelled.shown("Second ");
    await sendFromElsewhere(agent, { type: "cancel" });
    await cancelled;
    await agent.prompt("three");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      user      two
      assistant Second
      notice    The user interrupted this turn.
      outcome   cancelled
      user      three
      assistant Third story.
      outcome   completed"
    `);
  },
  { cuts: 3 },
);

story(
  "a second cancel, and one that names a turn that has ended, change nothing",
  async (agent) => {
    agent.model.on("one").replies(["First ", "story"]).hold({ after: 1 });
    const hold = agent.model.on("two").replies(["Second ", "story"]).hold({ after: 1 });
    const running = agent.start("one");
    await running.shown("First ");
    await Promise.all([agent.cancel(), agent.cancel()]);
    await running;
    await agent.cancel();
    expect((await agent.run()).outcome).toEqual({ status: "cancelled" });
    const ended = (await agent.session()).turn?.id;
    const next = agent.start("two");
    await next.shown("Second ");
    await agent.send({ type: "cancel", author: "user", ...(ended && { turnId: ended }) });
    hold.release();
    await next;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      one
      assistant First
      notice    The user interrupted this turn.
      outcome   cancelled
      user      two
      assistant Second story
      outcome   completed"
    `);
    const ends = (await agent.entries()).flatMap((entry) =>
      entry.type === "commit" ? entry.effects.filter(({ type }) => type === "turn.end") : [],
    );
    expect(ends).toHaveLength(2);
    expect((await agent.session()).inputs).toEqual([]);
  },
  { cuts: 4 },
);
