/** Processes that die, are interrupted, or meet at one session. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { processStartedAt } from "../../src/tools/process-identity.ts";
import { jsonLines, lastLine } from "./cli.ts";
import { startFake } from "./fake.ts";

test("killed between a tool's effect and its result, a run resumes and does not repeat the effect", async () => {
  const { model, cli } = await startFake();
  // The tool's own process kills the run when its effect is there: no moment is closer.
  model.on("charge").calls("bash", { command: "echo charged >> ledger; kill -9 $PPID" });
  model.on("may or may not have taken effect").replies("I look at the ledger first.");
  const killed = cli.start(["run", "--mode", "auto", "charge"]);
  await killed.done;
  expect(killed.child.signalCode).toBe("SIGKILL");
  expect(await cli.run("run", "-s", "latest")).toMatchObject({ code: 0, stdout: "I look at the ledger first.\n" });
  expect(readFileSync(join(cli.workspace, "ledger"), "utf8")).toBe("charged\n");
  expect((await cli.run("sessions", "verify", "latest")).code).toBe(0);
});

test("killed in the middle of a reply, a run asks the model again and types no prompt twice", async () => {
  const { model, cli } = await startFake();
  const hold = model.on("poem").replies(["Roses ", "are red"]).hold({ after: 1 });
  model.on("poem").replies("Roses are red.");
  const killed = cli.start(["run", "poem"]);
  await killed.says("Roses");
  await hold.reached;
  killed.child.kill("SIGKILL");
  await killed.done;
  expect(await cli.run("run", "-s", "latest")).toMatchObject({ code: 0, stdout: "Roses are red.\n" });
  expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s cancels the turn, keeps what was said, and exits %i", async (signal, code) => {
  const { model, cli } = await startFake();
  const hold = model.on("poem").replies(["Roses ", "are red"]).hold({ after: 1 });
  model.on("go on").replies("Roses are red.");
  const run = cli.start(["run", "--output", "json", "poem"]);
  await hold.reached;
  run.child.kill(signal);
  const end = await run.done;
  expect({ code: end.code, outcome: lastLine(end)["outcome"] }).toEqual({ code, outcome: { status: "cancelled" } });
  expect(await cli.run("run", "-s", "latest", "go on")).toMatchObject({ code: 0, stdout: "Roses are red.\n" });
});

test("a second SIGINT leaves at once, and the session goes on later", async () => {
  const { model, cli } = await startFake();
  model.on("stubborn").calls("bash", { command: "trap '' TERM INT; echo started; sleep 5" });
  model.otherwise().replies("On it.");
  const run = cli.start(["run", "--mode", "auto", "--output", "stream-json", "stubborn"]);
  await run.says('"tool-output"');
  run.child.kill("SIGINT");
  await run.says("once more to leave at once");
  run.child.kill("SIGINT");
  expect((await run.done).code).toBe(130);
  expect((await cli.run("run", "-s", "latest")).code).toBe(130);
  expect((await cli.run("run", "-s", "latest", "go on")).code).toBe(0);
});

test("a second SIGINT takes along a command that ignores every polite signal", async () => {
  const { model, cli } = await startFake();
  model
    .on("stubborn")
    .calls("bash", { command: "trap '' TERM INT; echo $$ > pid; echo started; while :; do sleep 1; done" });
  const run = cli.start(["run", "--mode", "auto", "--output", "stream-json", "stubborn"]);
  await run.says('"tool-output"');
  run.child.kill("SIGINT");
  await run.says("once more to leave at once");
  run.child.kill("SIGINT");
  const end = await run.done;
  expect(jsonLines(end).filter(({ type }) => type === "outcome")).toHaveLength(1);
  expect(lastLine(end)).toMatchObject({ type: "outcome", outcome: { status: "cancelled" }, pending: [], text: "" });
  expect((lastLine(end)["usage"] as { inputTokens: number }).inputTokens).toBeGreaterThan(0);
  const pid = Number(readFileSync(join(cli.workspace, "pid"), "utf8"));
  await expect.poll(() => processStartedAt(pid)).toBeUndefined();
});

test("a second SIGINT takes along what left the command's process group", async () => {
  const { model, cli } = await startFake();
  const runaway = `setsid sh -c 'trap "" TERM INT; echo $$ > pid; echo away; while :; do sleep 1; done'`;
  const command = `${runaway} & trap '' TERM INT; sleep 60; :`;
  model.on("stubborn").calls("bash", { command });
  const run = cli.start(["run", "--mode", "auto", "--output", "stream-json", "stubborn"]);
  await run.says("away\\n");
  run.child.kill("SIGINT");
  await run.says("once more to leave at once");
  run.child.kill("SIGINT");
  await run.done;
  const pid = Number(readFileSync(join(cli.workspace, "pid"), "utf8"));
  await expect.poll(() => processStartedAt(pid)).toBeUndefined();
});

test.each([
  ["SIGINT", "json", 130],
  ["SIGTERM", "stream-json", 143],
] as const)(
  "%s while an MCP server is waited for leaves at once, and nothing is written",
  async (signal, format, code) => {
    const { model, cli } = await startFake();
    const silent = { command: "/bin/sh", args: ["-c", "trap '' TERM; echo $$ > pid; echo waiting >&2; sleep 60; :"] };
    writeFileSync(join(cli.workspace, "mcp.json"), JSON.stringify({ mcpServers: { silent } }));
    const pid = () => Number(readFileSync(join(cli.workspace, "pid"), "utf8"));
    const interrupted = async (...args: readonly string[]) => {
      const run = cli.start(["run", "--output", format, "--mcp", "mcp.json", ...args]);
      await run.says("waiting");
      run.child.kill(signal);
      const end = await run.done;
      expect({ code: end.code, lines: jsonLines(end) }).toMatchObject({
        code,
        lines: [{ type: "outcome", outcome: { status: "cancelled" }, pending: [], text: "" }],
      });
      await expect.poll(() => processStartedAt(pid())).toBeUndefined();
    };
    await interrupted("hello");
    expect(existsSync(cli.db)).toBe(false);
    model.otherwise().replies("Hello!");
    await cli.run("run", "hello");
    const before = (await cli.run("sessions", "export", "latest")).stdout;
    await interrupted("-s", "latest", "again");
    expect((await cli.run("sessions", "export", "latest")).stdout).toBe(before);
  },
);

test("behind another owner, a run follows and ends with its own turn; --no-wait exits 6 and names the owner", async () => {
  const { model, cli } = await startFake();
  const hold = model.on("first").replies(["One, ", "two."]).hold({ after: 1 });
  model.on("second").replies("Second answer.");
  const owner = cli.start(["run", "first"]);
  await owner.says("One,");
  const refused = await cli.run("run", "-s", "latest", "--no-wait", "--output", "json", "third");
  expect(refused.code).toBe(6);
  expect(lastLine(refused)["outcome"]).toMatchObject({ status: "held", owner: { pid: owner.child.pid } });
  expect((await cli.run("sessions", "list")).stdout).toContain(`held by process ${owner.child.pid}`);
  expect((await cli.run("sessions", "delete", "latest")).code).toBe(2);
  const follower = cli.start(["run", "-s", "latest", "--output", "stream-json", "second"]);
  await follower.says('"type":"prompt"');
  hold.release();
  const [owned, followed] = await Promise.all([owner.done, follower.done]);
  expect({ owned: owned.code, followed: followed.code }).toEqual({ owned: 0, followed: 0 });
  expect(lastLine(followed)).toMatchObject({ outcome: { status: "completed" }, text: "Second answer." });
  const seqs = jsonLines(followed).flatMap(({ type, seq }) => (type === "entry" ? [seq as number] : []));
  expect(seqs).toEqual(seqs.map((_seq, at) => seqs[0]! + at));
});

test("SIGINT to a follower takes its prompt back and leaves the owner alone", async () => {
  const { model, cli } = await startFake();
  const hold = model.on("first").replies(["One, ", "two."]).hold({ after: 1 });
  const owner = cli.start(["run", "first"]);
  await owner.says("One,");
  const follower = cli.start(["run", "-s", "latest", "--output", "stream-json", "second"]);
  await follower.says('"type":"prompt"');
  follower.child.kill("SIGINT");
  expect((await follower.done).code).toBe(130);
  hold.release();
  expect(await owner.done).toMatchObject({ code: 0, stdout: "One, two.\n" });
  expect(model.requests).toHaveLength(1);
});

test("a reader that leaves does not stop the run", async () => {
  const { model, cli } = await startFake();
  const hold = model
    .on("go")
    .says([text(["One, ", "two."]), call("write", { path: "done.txt", content: "" })])
    .hold({ after: 1 });
  model.on("done.txt").replies("Done.");
  const run = cli.start(["run", "--mode", "auto", "--output", "stream-json", "go"]);
  await run.says("One,");
  run.child.stdout?.destroy();
  hold.release();
  expect((await run.done).code).toBe(0);
  expect((await cli.run("sessions", "list")).stdout).toContain("completed");
  expect(existsSync(join(cli.workspace, "done.txt"))).toBe(true);
});
