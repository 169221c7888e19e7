/** Calls of one reply run at the same time where what they say of themselves allows it, and one after the other where not. */
import { expect } from "vitest";
import { call, handMadeTool } from "../../src/testing/index.ts";
import type { HandMadeTool, Props } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { isCut, resultsSent, SAFE } from "./tool-kit.ts";

story(
  "tools that only read run at the same time",
  async (agent) => {
    agent.model
      .on("go")
      .says([
        call("calculator__barrier", { n: 3 }),
        call("calculator__barrier", { n: 3 }),
        call("calculator__barrier", { n: 3 }),
      ]);
    agent.model.on("3 calls met").replies("They met.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → calculator__barrier {"n":3}
                → calculator__barrier {"n":3}
                → calculator__barrier {"n":3}
      result    calculator__barrier ok: 3 calls met at barrier
      result    calculator__barrier ok: 3 calls met at barrier
      result    calculator__barrier ok: 3 calls met at barrier
      assistant They met.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  // Whoever was killed at the barrier still counts there.
  { calculator: "trusted", cuts: 0 },
);

/** Says when it begins and ends, and gives any other that may run meanwhile the time to begin. */
const logged = (props: Props, tool: Omit<HandMadeTool, "run">) =>
  handMadeTool({
    ...tool,
    async run({ n }) {
      props.count("running");
      const alone = props.counted("running") - props.counted("over") === 1;
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      const stillAlone = props.counted("running") - props.counted("over") === 1;
      props.count("over");
      return `${JSON.stringify(n)} was ${alone && stillAlone ? "alone" : "not alone"}`;
    },
  });

const kinds = (props: Props) => [
  logged(props, { name: "look", readOnly: true, touches: ["workspace"] }),
  logged(props, { name: "change", touches: ["workspace"] }),
  logged(props, { name: "elsewhere", touches: ["server:x"] }),
  logged(props, { name: "anything", readOnly: false }),
  logged(props, { name: "nothing", touches: [] }),
];

const pairs = [
  ["look", "look", "not alone"],
  ["look", "change", "alone"],
  ["change", "look", "alone"],
  ["change", "change", "alone"],
  ["change", "elsewhere", "not alone"],
  ["elsewhere", "elsewhere", "alone"],
  ["anything", "look", "alone"],
  ["look", "anything", "alone"],
  ["anything", "elsewhere", "alone"],
  ["anything", "nothing", "not alone"],
  ["nothing", "nothing", "not alone"],
] as const;

story(
  "what one call writes and another reads or writes never overlaps",
  async (agent) => {
    for (const [at, [first, second]] of pairs.entries()) {
      agent.model
        .on(at === 0 ? "go" : `second of ${at} `)
        .says([call(first, { n: `first of ${at + 1} ` }), call(second, { n: `second of ${at + 1} ` })]);
    }
    agent.model.on(`second of ${pairs.length} `).replies("Enough.");
    await agent.prompt("go");
    expect(agent.outcome).toEqual({ status: "completed" });
    expect(resultsSent(agent)).toEqual(
      pairs.flatMap(([, , how], at) => [`"first of ${at + 1} " was ${how}`, `"second of ${at + 1} " was ${how}`]),
    );
  },
  { tools: kinds, cuts: 0 },
);

story(
  "a call waits for those before it that it may not overlap, and others pass it",
  async (agent) => {
    agent.model.on("go").says([call("first"), call("record"), call("recall"), call("apart")]);
    agent.model.on("apart is done").replies("All done.");
    const running = agent.start("go");
    await running.reached(agent.gate("apart"));
    expect(agent.counted("record") + agent.counted("recall")).toBe(0);
    agent.gate("first").release();
    agent.gate("apart").release();
    await running;
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → first {}
                → record {}
                → recall {}
                → apart {}
      result    first ok: first is done
      result    record ok: record is done
      result    recall ok: recall is done
      result    apart ok: apart is done
      assistant All done.
      outcome   completed"
    `);
    expect(resultsSent(agent)).toEqual(["first is done", "record is done", "recall is done", "apart is done"]);
  },
  {
    tools: (props) => [
      handMadeTool({
        ...SAFE,
        name: "first",
        touches: ["workspace"],
        run: async (_args, { signal }) => {
          await props.gate("first").wait(signal);
          return "first is done";
        },
      }),
      handMadeTool({
        name: "record",
        idempotent: true,
        touches: ["workspace"],
        run: () => (props.count("record"), "record is done"),
      }),
      handMadeTool({
        ...SAFE,
        name: "recall",
        touches: ["workspace"],
        run: () => (props.count("recall"), props.counted("record") === 0 ? "recall came too early" : "recall is done"),
      }),
      handMadeTool({
        ...SAFE,
        name: "apart",
        run: async (_args, { signal }) => {
          await props.gate("apart").wait(signal);
          return "apart is done";
        },
      }),
    ],
    cuts: 3,
  },
);

story(
  "built-in tools see what those before them wrote, whatever they are",
  async (agent) => {
    agent.model
      .on("go")
      .says([
        call("write", { path: "a.txt", content: "one\n" }),
        call("read", { path: "a.txt" }),
        call("edit", { path: "a.txt", oldText: "one", newText: "two" }),
        call("grep", { pattern: "two" }),
        call("bash", { command: "sleep 0.05; echo three > a.txt" }),
        call("read", { path: "a.txt" }),
        call("bash", { command: "cat a.txt" }),
        call("write", { path: "a.txt", content: "four\n" }),
      ]);
    agent.model.on("Overwrote").replies("Written.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → write {"content":"one\\n","path":"a.txt"}
                → read {"path":"a.txt"}
                → edit {"newText":"two","oldText":"one","path":"a.txt"}
                → grep {"pattern":"two"}
                → bash {"command":"sleep 0.05; echo three > a.txt"}
                → read {"path":"a.txt"}
                → bash {"command":"cat a.txt"}
                → write {"content":"four\\n","path":"a.txt"}
      result    write ok: Created a.txt (4 bytes).
      result    read ok: 1	one
      result    edit ok: Edited a.txt: 1 replacement.
                @@ -1,1 +1,1 @@
                -one
                +two
      result    grep ok: a.txt:1: two
      result    bash ok: [exit code 0, no output]
      result    read ok: 1	three
      result    bash ok: three
                [exit code 0]
      result    write ok: Overwrote a.txt (5 bytes).
      assistant Written.
      outcome   completed"
    `);
    expect(await agent.read("a.txt")).toBe("four\n");
  },
  { cuts: 2 },
);

story(
  "calls of a server whose word is not believed run one after the other",
  async (agent) => {
    agent.model
      .on("go")
      .says([1, 2, 3].map((a) => call("calculator__add", { a, b: 0 })).concat(call("calculator__total")));
    agent.model.on("3").replies("Three.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → calculator__add {"a":1,"b":0}
                → calculator__add {"a":2,"b":0}
                → calculator__add {"a":3,"b":0}
                → calculator__total {}
      result    calculator__add ok: 1 {"result":1,"total":1}
      result    calculator__add ok: 2 {"result":2,"total":2}
      result    calculator__add ok: 3 {"result":3,"total":3}
      result    calculator__total ok: 3
      assistant Three.
      outcome   completed"
    `);
    expect(await agent.effects()).toEqual(['add {"a":1,"b":0}', 'add {"a":2,"b":0}', 'add {"a":3,"b":0}', "total {}"]);
    if (!isCut(agent)) expect(agent.everyEffect()).toEqual(await agent.effects());
  },
  { calculator: "untrusted", cuts: 3 },
);
