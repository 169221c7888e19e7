/** Tools that take too long: answered as such, nothing of them is left, and the session goes on. */
import { afterAll, expect } from "vitest";
import { call, handMadeTool, startCalculatorHttp } from "../../src/testing/index.ts";
import { listProcesses } from "../../src/tools/process-table.ts";
import { story } from "../story.ts";
import { isCut, resultsSent } from "./tool-kit.ts";

const slowServer = await startCalculatorHttp();
afterAll(() => slowServer.close());

/** Leaves behind what a shell can: children that ignore the polite signal, and one in a session of its own. */
const STUBBORN = `for n in 1 2; do (trap '' TERM; echo $BASHPID >> pids; sleep 60) & done
setsid sh -c 'echo $$ >> pids; exec sleep 60' &
echo started; wait`;

story(
  "a command that takes too long is answered with what it printed, and its whole tree is gone",
  async (agent) => {
    agent.model.on("go").calls("bash", { command: STUBBORN, timeoutSeconds: 0.5 });
    agent.model.on("killed after 0.5 s").calls("bash", { command: "echo still here" });
    agent.model.on("still here").replies("That worked.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → bash {"command":"for n in 1 2; do (trap '' TERM; echo $BASHPID >> pids; sleep 60) & done\\nsetsid sh -c 'echo $$ >> pids; exec sleep 60' &\\necho started; wait","timeoutSeconds":0.5}
      result    bash failed(tool_timeout): started
                [killed after 0.5 s, before it was done; timeoutSeconds can be up to 600]
      assistant → bash {"command":"echo still here"}
      result    bash ok: still here
                [exit code 0]
      assistant That worked.
      outcome   completed"
    `);
    expect(resultsSent(agent, 1)[0]).toMatch(isCut(agent) ? /./ : /^!started\n\[killed after 0.5 s/);
    if (agent.mode === "killed") return;
    const pids = (await agent.read("pids")).trim().split("\n").map(Number);
    expect(pids).toHaveLength(3);
    expect(listProcesses().filter(({ pid }) => pids.includes(pid))).toEqual([]);
  },
  { cuts: 1 },
);

story(
  "an MCP call that takes too long is answered as such, and the server can be used afterwards",
  async (agent) => {
    agent.model.on("go").says([call("patient__hang"), call("patient__slow", { milliseconds: 60_000, steps: 1 })]);
    agent.model.on("Timed out").calls("patient__total");
    agent.model.on("0").replies("It works again.");
    await agent.prompt("go");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → patient__hang {}
                → patient__slow {"milliseconds":60000,"steps":1}
      result    patient__hang failed(tool_timeout): Timed out after 0.4 s without progress: the server "patient" was told to stop. The call may have taken effect in part.
      result    patient__slow failed(tool_timeout): Timed out after 0.4 s without progress: the server "patient" was told to stop. The call may have taken effect in part.
      assistant → patient__total {}
      result    patient__total ok: 0
      assistant It works again.
      outcome   completed"
    `);
    agent.model.assertNothingLeft();
  },
  { mcpServers: { patient: { ...slowServer.entry, timeoutSeconds: 0.4 } }, cuts: 1 },
);

story(
  "a tool that hangs and does not listen is left behind by a cancel, and what it says later changes nothing",
  async (agent) => {
    agent.model.on("go").says([call("deaf"), call("read", { path: "a.txt" })]);
    agent.model.on("next").replies("Here I am.");
    const running = agent.start("go");
    await running.reached(agent.gate("deaf"));
    await agent.cancel();
    await running;
    expect(agent.outcome).toEqual({ status: "cancelled" });
    agent.gate("deaf").release();
    await agent.prompt("next");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → deaf {}
                → read {"path":"a.txt"}
      result    deaf interrupted(interrupted): The user interrupted this turn. It was stopped while it ran; part of its effect may have happened.
      result    read interrupted(interrupted): The user interrupted this turn. It was not started.
      notice    The user interrupted this turn.
      outcome   cancelled
      user      next
      assistant Here I am.
      outcome   completed"
    `);
  },
  {
    files: { "a.txt": "hello\n" },
    tools: (props) => [
      handMadeTool({
        name: "deaf",
        async run() {
          await props.gate("deaf").wait(new AbortController().signal);
          return "I have heard nothing.";
        },
      }),
    ],
    cuts: 1,
  },
);
