/** What a run ends with: exit codes, the outcome line, and what is printed to go on. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { jsonLines, lastLine } from "./cli.ts";
import { startFake } from "./fake.ts";

test("each outcome has its exit code, and JSON output is the outcome alone", async () => {
  const { model, cli } = await startFake();
  model.on("hello").replies("Hello!");
  model.on("key").fails({ status: 401, message: "wrong key" });
  model.on("shell").calls("bash", { command: "true" });
  model.on("look").calls("list", {});
  model.on("bad").says([text("I will not.")], { stop: "refusal" });
  const run = (...args: readonly string[]) => cli.run("run", "--output", "json", ...args);
  const ends = [
    await run("hello"),
    await run("key"),
    await run("--mode", "nonsense", "hello"),
    await run("shell"),
    await run("--max-turns", "1", "look"),
    await run("bad"),
  ];
  expect(ends.map((end) => [end.code, lastLine(end)["outcome"]])).toEqual([
    [0, { status: "completed" }],
    [1, { status: "failed", error: { kind: "model_auth", message: expect.stringContaining("wrong key") } }],
    [2, { status: "failed", error: { kind: "usage", message: expect.stringContaining("nonsense") } }],
    [3, { status: "awaiting_approval" }],
    [4, { status: "budget", budget: "inferences", used: 1, limit: 1 }],
    [5, { status: "refused", reason: "I will not." }],
  ]);
  expect(ends.map(({ stdout }) => stdout.split("\n").length)).toEqual([2, 2, 2, 2, 2, 2]);
  expect(lastLine(ends[0]!)).toEqual({
    type: "outcome",
    outcome: { status: "completed" },
    pending: [],
    usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), cachedInputTokens: 0, cost: null },
    text: "Hello!",
  });
});

test("a run in stream-json tells the session, every entry and event, and one outcome", async () => {
  const { model, cli } = await startFake();
  model.on("look").says([text(["I ", "look."]), call("list", {})]);
  model.on("empty").replies("Nothing there.");
  const lines = jsonLines(await cli.run("run", "--output", "stream-json", "look"));
  const types = lines.map(({ type }) => type);
  expect(types[0]).toBe("session");
  expect(types.at(-1)).toBe("outcome");
  expect(types.filter((type) => type === "outcome")).toHaveLength(1);
  expect(types).toContain("text-delta");
  const entries = lines.filter(({ type }) => type === "entry");
  const first = lines[0]?.["seq"] as number;
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_entry, at) => first + 1 + at));
  expect(entries[0]).toEqual({
    type: "entry",
    seq: 2,
    input: {
      id: expect.any(String),
      author: "user",
      type: "prompt",
      parts: [{ type: "text", text: "look" }],
    },
  });
  expect(entries[1]).toEqual({
    type: "entry",
    seq: 3,
    turn: expect.any(String),
    operation: "intake",
    reason: "takes in prompt",
    effects: expect.any(Array),
    from: "new",
    to: "deciding",
  });
});

test("the lines that a parked run prints can be run as they are printed", async () => {
  const { model, cli } = await startFake();
  model.on("write it").calls("write", { path: "a b.txt", content: "it's\n" });
  model.on("a b.txt").replies("Written.");
  const parked = await cli.run("run", "--db", join(cli.folder, "it's.db"), "write it");
  expect(parked.code).toBe(3);
  expect(parked.stdout).toBe("");
  const lines = parked.stderr.split("\n").filter((line) => line.startsWith("  dacapo "));
  const approve = lines.find((line) => line.includes("--approve"));
  const goOn = lines.find((line) => line.includes(" run "));
  expect((await cli.shell(approve!)).stdout).toMatch(/^appended \d+ /);
  expect(await cli.shell(goOn!)).toMatchObject({ code: 0, stdout: "Written.\n" });
  expect(readFileSync(join(cli.workspace, "a b.txt"), "utf8")).toBe("it's\n");
});

test("a decision that comes too late is told what was decided, by whom, and where to look", async () => {
  const { model, cli } = await startFake();
  model.on("shell").calls("bash", { command: "true" });
  const parked = lastLine(await cli.run("run", "--output", "json", "shell"));
  const [{ callId, session }] = parked["pending"] as [{ callId: string; session: string }];
  const won = JSON.parse((await cli.run("send", session, "--approve", callId, "--json")).stdout) as { inputId: string };
  const late = await cli.run("send", session, "--deny", callId, "--json");
  const told = `call ${callId} was approved by user already (input ${won.inputId})`;
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining(told) });
  expect(late.stderr).toContain(`dacapo sessions show ${session}`);
});

test("without a prompt, a run goes on from whatever tail the session has", async () => {
  const { model, cli } = await startFake();
  model.on("go").calls("list", {});
  model.otherwise().replies("Done.");
  expect((await cli.run("run", "--max-turns", "1", "go")).code).toBe(4);
  expect((await cli.run("run", "-s", "latest")).code).toBe(4);
  expect(await cli.run("run", "-c", "--max-turns", "5")).toMatchObject({ code: 0, stdout: "Done.\n" });
  const before = await cli.run("sessions", "export", "latest");
  expect(await cli.run("run", "-s", "latest")).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect((await cli.run("sessions", "export", "latest")).stdout).toBe(before.stdout);
});

test("a prompt comes from stdin, and flags change an existing session", async () => {
  const { model, cli } = await startFake();
  model.on("from a pipe").replies("Read.");
  model.on("again").calls("write", { path: "a.txt", content: "" });
  model.otherwise().replies("Written.");
  expect(await cli.start(["run", "-"], { stdin: "from a pipe" }).done).toMatchObject({ code: 0, stdout: "Read.\n" });
  expect((await cli.run("run", "-c", "--mode", "auto-edit", "again")).code).toBe(0);
  expect(existsSync(join(cli.workspace, "a.txt"))).toBe(true);
});
