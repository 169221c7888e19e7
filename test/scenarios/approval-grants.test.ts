/** Grants: an approval for the session covers exactly what was asked about, later, and nothing else. */
import { expect } from "vitest";
import { call } from "../../src/testing/index.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";

/** Each pair: what is granted, and what looks like it. */
const COMMANDS = {
  stars: ["echo *", "echo anything"],
  backslashes: ["echo \\*", "echo *"],
  "spaces and newlines": ["echo a  b\necho c", "echo a b\necho c"],
  "characters of patterns": ["echo (a|b)[c]+.?^$ 2>/dev/null", "echo a"],
  "an end that goes on": ["echo hi", "echo hi; rm -rf /"],
  "half of a pair": ["echo 😀", "echo 😁"],
} as const;

async function grantsOf(agent: Agent) {
  return (await agent.session()).session.grants.map(({ tool, pattern }) => `${tool}: ${pattern}`);
}

for (const [what, [granted, other]] of Object.entries(COMMANDS)) {
  story(
    `a grant is literal: ${what}`,
    async (agent) => {
      agent.model.on("first").calls("bash", { command: granted });
      agent.model.on("exit").replies("That was it.");
      agent.model.on("ended").replies("That was it.");
      agent.model
        .on("second")
        .says([call("bash", { command: granted, timeoutSeconds: 20 }), call("bash", { command: other })]);
      await agent.prompt("first");
      await agent.approve("bash", { scope: "session" });
      await agent.run();
      await agent.prompt("second");
      expect(agent.report?.pending).toMatchObject([{ tool: "bash", args: { command: other } }]);
      const decided = [...(await agent.session()).calls.settled].map(({ decision }) => decision?.by);
      expect(decided).toEqual(["user", "policy"]);
    },
    { mode: "ask", cuts: 0 },
  );
}

story(
  "a grant is stored in the commit of its decision and covers the same command later, without asking",
  async (agent) => {
    agent.model.on("build").calls("calculator__reset");
    agent.model.on("0").times(2).replies("Done.");
    agent.model.on("again, and more").calls("calculator__reset");
    agent.model.on("add").calls("calculator__add", { a: 1 });
    await agent.prompt("build");
    await agent.approve("calculator__reset", { scope: "session" });
    await agent.run();
    await agent.prompt("again, and more");
    expect(agent.outcome).toEqual({ status: "completed" });
    await agent.prompt("add");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      build
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Done.
      outcome   completed
      user      again, and more
      assistant → calculator__reset {}
      result    calculator__reset ok: 0
      assistant Done.
      outcome   completed
      user      add
      assistant → calculator__add {"a":1}
      asks      calculator__add {"a":1} (mode ask asks before tools that may do anything)
      outcome   awaiting_approval"
    `);
    const commits = (await agent.entries()).flatMap((entry) => (entry.type === "commit" ? [entry.effects] : []));
    const decided = commits.filter((effects) => effects.some(({ type }) => type === "call.decide"));
    expect(
      decided.map((effects) => effects.map(({ type }) => type).filter((type) => type !== "input.consume")),
    ).toEqual([["call.decide", "grant.add"], ["call.decide"]]);
    const [asked, covered] = [...(await agent.session()).calls.settled];
    expect(covered?.decision).toMatchObject({ by: "policy", reason: `granted for the session with call ${asked?.id}` });
    expect(await grantsOf(agent)).toEqual(["calculator__reset: *"]);
  },
  { calculator: "trusted", mode: "ask", cuts: 4 },
);

story(
  "a grant of a tool without a subject covers that tool, whatever its arguments, and no other",
  async (agent) => {
    agent.model.on("sum").calls("calculator__add", { a: 1, b: 1 });
    agent.model.on("2").replies("Two.");
    agent.model.on("more").says([call("calculator__add", { a: 2, b: 1 }), call("calculator__subtract", { a: 2 })]);
    await agent.prompt("sum");
    await agent.approve("calculator__add", { scope: "session" });
    await agent.run();
    await agent.prompt("more");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      sum
      assistant → calculator__add {"a":1,"b":1}
      result    calculator__add ok: 2 {"result":2,"total":2}
      assistant Two.
      outcome   completed
      user      more
      assistant → calculator__add {"a":2,"b":1}
                → calculator__subtract {"a":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      asks      calculator__subtract {"a":2} (mode ask asks before tools that may do anything)
      outcome   awaiting_approval"
    `);
    expect(await agent.effects()).toEqual(['add {"a":1,"b":1}', 'add {"a":2,"b":1}']);
  },
  { calculator: "untrusted", mode: "ask", cuts: 2 },
);

story(
  "a grant that comes with edited arguments is for the edited ones, and one for once grants nothing",
  async (agent) => {
    agent.model.on("first").calls("write", { path: "a.txt", content: "one" });
    agent.model.on("third").calls("write", { path: "a.txt", content: "three" });
    agent.model
      .on("second")
      .says([call("write", { path: "b.txt", content: "two" }), call("write", { path: "a.txt", content: "two" })]);
    agent.model
      .on(/bytes|denied/)
      .always()
      .replies("Written.");
    await agent.prompt("first");
    await agent.approve("write", { scope: "session", args: { path: "b.txt", content: "edited" } });
    await agent.run();
    await agent.prompt("second");
    await agent.approve("write", { scope: "once" });
    await agent.run();
    expect(await agent.read("a.txt")).toBe("two");
    expect(await agent.read("b.txt")).toBe("two");
    await agent.prompt("third");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      first
      assistant → write {"content":"one","path":"a.txt"} (edited to {"content":"edited","path":"b.txt"})
      result    write ok: The user edited the arguments before approving: {"content":"edited","path":"b.txt"} Created b.txt (6 bytes).
      assistant Written.
      outcome   completed
      user      second
      assistant → write {"content":"two","path":"b.txt"}
                → write {"content":"two","path":"a.txt"}
      result    write ok: Overwrote b.txt (3 bytes).
      result    write ok: Created a.txt (3 bytes).
      assistant Written.
      outcome   completed
      user      third
      assistant → write {"content":"three","path":"a.txt"}
      asks      write {"content":"three","path":"a.txt"} (mode ask asks before tools that edit the workspace)
      outcome   awaiting_approval"
    `);
    expect(await grantsOf(agent)).toEqual(["write: b.txt"]);
  },
  { mode: "ask", cuts: 2 },
);

story(
  "a grant does not decide a call that is waiting already, and does not outweigh plan",
  async (agent) => {
    agent.model.on("twice").says([call("calculator__reset"), call("calculator__reset")]);
    agent.model.on("0").replies("Twice.");
    agent.model.on("once more").calls("calculator__reset");
    agent.model.on("not permitted").replies("Not now.");
    await agent.prompt("twice");
    await agent.approve("calculator__reset", { scope: "session" });
    await agent.run();
    expect(agent.outcome).toEqual({ status: "awaiting_approval" });
    await agent.approve("calculator__reset");
    await agent.configure({ mode: "plan" });
    await agent.run();
    await agent.prompt("once more");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      twice
      assistant → calculator__reset {}
                → calculator__reset {}
      result    calculator__reset ok: 0
      result    calculator__reset ok: 0
      assistant Twice.
      outcome   completed
      user      once more
      assistant → calculator__reset {}
      denial    calculator__reset denied(permission_denied): This call was not permitted: mode plan does not allow tools that may do anything. Do not try the same again; find another way or ask the user.
      assistant Not now.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(["reset {}", "reset {}"]);
  },
  { calculator: "trusted", mode: "ask", cuts: 3 },
);
