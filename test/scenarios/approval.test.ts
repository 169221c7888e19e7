/** Approval: the request is stored, nothing runs meanwhile, whoever comes later goes on, and everybody sees who decided. */
import { expect } from "vitest";
import type { Entry } from "../../src/core/entry.ts";
import { story } from "../story.ts";
import { effectsOf, elsewhere, sendFromElsewhere, told } from "./elsewhere.ts";

story(
  "a request for approval is stored before anyone is told, and nothing runs until a person has decided",
  async (agent) => {
    agent.model.on("pay").calls("calculator__add", { a: 1, b: 2 });
    agent.model.on("3").replies("Paid.");
    const known = await elsewhere(agent, async (other) => {
      const asked = told(other, agent, "call.ask").then(() => other.load(agent.sessionId));
      await agent.prompt("pay");
      return [...((await asked)?.calls.open.values() ?? [])].map(({ status }) => status);
    });
    expect(known).toEqual(["awaiting_approval"]);
    expect(agent.report?.pending).toMatchObject([
      { type: "approval", tool: "calculator__add", args: { a: 1, b: 2 }, reason: expect.stringContaining("mode ask") },
    ]);
    expect(await agent.client((sessions) => sessions.holder(agent.sessionId))).toBeUndefined();
    await agent.run();
    await agent.run();
    expect(agent.outcome).toEqual({ status: "awaiting_approval" });
    expect(agent.everyEffect()).toEqual([]);
    expect(agent.requests()).toHaveLength(1);
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      pay
      assistant → calculator__add {"a":1,"b":2}
      asks      calculator__add {"a":1,"b":2} (mode ask asks before tools that may do anything)
      outcome   awaiting_approval"
    `);
    await agent.approve("calculator__add");
    expect(agent.everyEffect()).toEqual([]);
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      pay
      assistant → calculator__add {"a":1,"b":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      assistant Paid.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(['add {"a":1,"b":2}']);
  },
  { calculator: "untrusted", mode: "ask", cuts: 3 },
);

story(
  "a stored decision without a result goes on by itself, even if the session has meanwhile changed its mode",
  async (agent) => {
    agent.model.on("tidy up").calls("calculator__reset");
    agent.model.on("0").replies("Tidy.");
    await agent.prompt("tidy up");
    await agent.approve("calculator__reset");
    await agent.configure({ mode: "plan" });
    const before = await agent.session();
    expect([...before.calls.open.values()].map(({ status }) => status)).toEqual(["awaiting_approval"]);
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      tidy up
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Tidy.
      outcome   completed"
    `);
    expect(agent.requests().at(-1)?.newest).toBe("0");
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);

story(
  "two clients see the same request, one answers, and the other sees who did",
  async (agent) => {
    agent.model.on("pay").calls("calculator__reset");
    agent.model.on("0").replies("Paid.");
    await agent.prompt("pay");
    const [call] = [...(await agent.session()).calls.open.values()];
    if (!call) throw new Error("nothing is asked");
    const followed: Entry[] = [];
    await elsewhere(agent, async (other) => {
      const seen = await other.load(agent.sessionId);
      expect(seen?.calls.open.get(call.id)).toEqual(call);
      const ended = told(other, agent, "turn.end");
      await sendFromElsewhere(agent, { type: "decision", callId: call.id, verdict: "approve" }, "grace");
      await agent.run();
      followed.push(...(await ended).slice(seen?.seq));
    });
    expect(followed[0]).toMatchObject({ type: "input", input: { type: "decision", callId: call.id, author: "grace" } });
    expect(effectsOf(followed, "call.decide")).toMatchObject([
      { decision: { verdict: "approved", by: "grace", hash: call.hash, reason: "approved by grace" } },
    ]);
    const settled = (await agent.session()).calls.settled.get(call.id);
    expect(settled?.decision?.by).toBe("grace");
    const late = sendFromElsewhere(agent, { type: "decision", callId: call.id, verdict: "deny" }, "ada");
    await expect(late).rejects.toMatchObject({ name: "InputError", reason: "conflict" });
    const again = await sendFromElsewhere(agent, { type: "decision", callId: call.id, verdict: "approve" }, "ada");
    expect(again.status).toBe("same");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      pay
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Paid.
      outcome   completed"
    `);
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);

story(
  "a mode that is changed while a call waits decides nothing, and revives nothing that was denied",
  async (agent) => {
    agent.model.on("clear").says([
      { type: "call", name: "calculator__reset" },
      { type: "call", name: "calculator__add", input: { a: 5, b: 5 } },
    ]);
    agent.model.on("0").replies("One of the two.");
    agent.model.on("once more").calls("calculator__add", { a: 5, b: 5 });
    agent.model.on("10").replies("Now it is done.");
    await agent.prompt("clear and add");
    await agent.deny("calculator__add", "not five");
    await agent.configure({ mode: "auto" });
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      clear and add
      assistant → calculator__reset {}
                → calculator__add {"a":5,"b":5}
      denial    calculator__add denied(human_rejected): The user denied this call: not five. Do not try the same again; find another way or ask the user.
      asks      calculator__reset {} (mode ask asks before tools that may do anything)
      outcome   awaiting_approval"
    `);
    expect(agent.everyEffect()).toEqual([]);
    expect(agent.requests()).toHaveLength(1);
    await agent.approve("calculator__reset");
    await agent.run();
    await agent.prompt("once more");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      clear and add
      assistant → calculator__reset {}
                → calculator__add {"a":5,"b":5}
      result    calculator__reset ok: 0
      denial    calculator__add denied(human_rejected): The user denied this call: not five. Do not try the same again; find another way or ask the user.
      assistant One of the two.
      outcome   completed
      user      once more
      assistant → calculator__add {"a":5,"b":5}
      result    calculator__add ok: 10 {"result":10,"total":10}
      assistant Now it is done.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(["reset {}", 'add {"a":5,"b":5}']);
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);
