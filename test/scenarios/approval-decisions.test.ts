/** Decisions: in any order, the same one again, another one, about nothing; and the words that come with a denial. */
import { expect } from "vitest";
import type { CallId } from "../../src/core/ids.ts";
import { call } from "../../src/testing/index.ts";
import type { NewInput } from "../../src/sessions.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";

async function waiting(agent: Agent): Promise<readonly CallId[]> {
  return [...(await agent.session()).calls.open.values()].map(({ id }) => id);
}

type Decision = Omit<Extract<NewInput, { type: "decision" }>, "type" | "author" | "callId">;

function decide(agent: Agent, callId: CallId | undefined, decision: Decision) {
  return agent.send({ type: "decision", author: "user", callId: callId as CallId, ...decision });
}

story(
  "decisions come in any order, and the model is asked once all are made, with the results in the order of the calls",
  async (agent) => {
    agent.model
      .on("four sums")
      .says([
        call("calculator__add", { a: 1, b: 1 }),
        call("calculator__add", { a: 2, b: 2 }),
        call("calculator__reset"),
        call("calculator__multiply", { a: 4, b: 4 }),
      ]);
    agent.model.on(/too small/).replies("Two of four.");
    await agent.prompt("four sums");
    await agent.approve("calculator__multiply");
    await agent.run();
    await agent.deny(/"a":1/, "too small");
    await agent.run();
    expect(agent.requests()).toHaveLength(1);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      four sums
      assistant → calculator__add {"a":1,"b":1}
                → calculator__add {"a":2,"b":2}
                → calculator__reset {}
                → calculator__multiply {"a":4,"b":4}
      denial    calculator__add denied(human_rejected): The user denied this call: too small. Do not try the same again; find another way or ask the user.
      result    calculator__multiply ok: 16 {"result":16,"total":16}
      asks      calculator__add {"a":2,"b":2} (mode ask asks before tools that may do anything)
      asks      calculator__reset {} (mode ask asks before tools that may do anything)
      outcome   awaiting_approval"
    `);
    await agent.deny("calculator__reset");
    await agent.approve(/"a":2/);
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      four sums
      assistant → calculator__add {"a":1,"b":1}
                → calculator__add {"a":2,"b":2}
                → calculator__reset {}
                → calculator__multiply {"a":4,"b":4}
      denial    calculator__add denied(human_rejected): The user denied this call: too small. Do not try the same again; find another way or ask the user.
      result    calculator__add ok: 4 {"result":4,"total":4}
      denial    calculator__reset denied(human_rejected): The user denied this call: no reason was given. Do not try the same again; find another way or ask the user.
      result    calculator__multiply ok: 16 {"result":16,"total":16}
      assistant Two of four.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(['add {"a":2,"b":2}', 'multiply {"a":4,"b":4}']);
    expect(agent.requests()).toHaveLength(2);
  },
  { calculator: "untrusted", mode: "ask", cuts: 3 },
);

story(
  "the same decision again changes nothing, and another one is a conflict that names the winner",
  async (agent) => {
    agent.model.on("sum").calls("calculator__reset");
    agent.model.on("0").replies("Done.");
    await agent.prompt("sum");
    const [id] = await waiting(agent);
    const first = await decide(agent, id, { verdict: "approve" });
    const before = (await agent.session()).seq;
    expect(await decide(agent, id, { verdict: "approve" })).toEqual({ ...first, status: "same" });
    expect(await decide(agent, id, { verdict: "approve", scope: "once" })).toEqual({
      ...first,
      status: "same",
    });
    const conflict = { name: "InputError", reason: "conflict", winner: first.inputId };
    await expect(decide(agent, id, { verdict: "deny" })).rejects.toMatchObject(conflict);
    await expect(decide(agent, id, { verdict: "approve", scope: "session" })).rejects.toMatchObject(conflict);
    await expect(decide(agent, id, { verdict: "approve", args: {} })).rejects.toMatchObject(conflict);
    expect((await agent.session()).seq).toBe(before);
    await agent.run();
    expect(await decide(agent, id, { verdict: "approve" })).toEqual({ ...first, status: "same" });
    await expect(decide(agent, id, { verdict: "deny" })).rejects.toMatchObject(conflict);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      sum
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Done.
      outcome   completed"
    `);
    expect((await agent.session()).inputs).toEqual([]);
  },
  { calculator: "trusted", mode: "ask", cuts: 2 },
);

story(
  "a decision about a call that does not wait for one is an error, and nothing is written",
  async (agent) => {
    agent.model.on("look and sum").says([call("calculator__total"), call("calculator__reset")]);
    agent.model.on("go on").replies("Very well.");
    await agent.prompt("look and sum");
    const [waits] = await waiting(agent);
    const [looked] = [...(await agent.session()).calls.settled].map(({ id }) => id);
    const seq = (await agent.session()).seq;
    const of = (reason: string) => ({ name: "InputError", reason });
    await expect(decide(agent, "nobody" as CallId, { verdict: "approve" })).rejects.toMatchObject(of("unknown-target"));
    await expect(decide(agent, looked, { verdict: "approve" })).rejects.toMatchObject(of("settled-target"));
    await expect(decide(agent, waits, { verdict: "approve", hash: "of-other-arguments" })).rejects.toMatchObject(
      of("settled-target"),
    );
    expect((await agent.session()).seq).toBe(seq);
    await agent.cancel();
    await agent.run();
    await expect(decide(agent, waits, { verdict: "approve" })).rejects.toMatchObject(of("settled-target"));
    await agent.prompt("go on");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      look and sum
      assistant → calculator__total {}
                → calculator__reset {}
      result    calculator__total ok: 0
      result    calculator__reset interrupted(interrupted): The user interrupted this turn. It was not started.
      notice    The user interrupted this turn.
      outcome   cancelled
      user      go on
      assistant Very well.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(["total {}"]);
  },
  { calculator: "trusted", mode: "ask", cuts: 2 },
);

story(
  "a denial carries the person's words to the model and tells it not to try the same again",
  async (agent) => {
    agent.model.on("drop").says([call("bash", { command: "drop tables" }), call("bash", { command: "drop views" })]);
    agent.model.on(/Keep both/).replies("I keep them.");
    await agent.prompt("drop everything");
    await agent.deny(/tables/, 'Not on a Friday!\nAsk "ops" first.');
    await agent.deny(/views/, "  ");
    await agent.steer("Keep both.");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      drop everything
      assistant → bash {"command":"drop tables"}
                → bash {"command":"drop views"}
      denial    bash denied(human_rejected): The user denied this call: Not on a Friday!
                Ask "ops" first. Do not try the same again; find another way or ask the user.
      denial    bash denied(human_rejected): The user denied this call: no reason was given. Do not try the same again; find another way or ask the user.
      steer     Keep both.
      assistant I keep them.
      outcome   completed"
    `);
    expect(
      agent
        .requests()
        .at(-1)
        ?.messages.flatMap(({ toolResults }) => toolResults),
    ).toMatchObject([
      { isError: true, text: expect.stringContaining('Not on a Friday!\nAsk "ops" first. Do not try the same again') },
      { isError: true, text: expect.stringContaining("no reason was given. Do not try the same again") },
    ]);
    const settled = [...(await agent.session()).calls.settled];
    expect(settled.map(({ decision }) => [decision?.verdict, decision?.by])).toEqual([
      ["denied", "user"],
      ["denied", "user"],
    ]);
  },
  { mode: "ask", cuts: 2 },
);
