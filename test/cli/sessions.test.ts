/** What is said to a session from outside, single steps, and sessions as files. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { jsonLines, lastLine } from "./cli.ts";
import { startFake } from "./fake.ts";

test("an input sent twice is there once; a decision that comes too late names the one that won", async () => {
  const { model, cli } = await startFake();
  model.on("write").calls("write", { path: "a.txt", content: "a" });
  model.on("denied").replies("Then not.");
  const parked = lastLine(await cli.run("run", "--output", "json", "write"));
  const [{ callId } = { callId: "" }] = parked["pending"] as { callId: string }[];
  const send = (...args: readonly string[]) => cli.run("send", "latest", ...args);
  const deny = ["--deny", callId.slice(0, 9), "--reason", "no", "--id", "3f0c7f7e-0000-4000-8000-000000000001"];
  expect((await send(...deny)).stdout).toMatch(/^appended 7 3f0c7f7e/);
  expect((await send(...deny)).stdout).toMatch(/^same 7 3f0c7f7e/);
  const late = await send("--approve", callId);
  expect(late).toMatchObject({ code: 2, stdout: "" });
  expect(late.stderr).toContain("3f0c7f7e-0000-4000-8000-000000000001");
  expect((await cli.run("run", "-s", "latest")).stdout).toBe("Then not.\n");
  const wrong = await Promise.all([
    send("--approve", "nosuchcall"),
    send("--withdraw", "nosuchinput"),
    send("--answer", "nosuchquestion", '"yes"'),
    send("--answer", "nosuchquestion"),
    send("--approve", callId, "--args", "{"),
    send("--approve", callId, "--scope", "workspace"),
    send("--set", "color=red"),
    send("--set", "mode=yolo"),
    send("--prompt", "a", "--steer", "b"),
    send(),
    cli.run("send", "nosuchsession", "--cancel"),
  ]);
  expect(wrong.map(({ code, stderr }) => [code, stderr !== ""])).toEqual(wrong.map(() => [2, true]));
});

test("escapes of whoever wrote them reach no screen: not in the run, not in what is shown of it later", async () => {
  const { model, cli } = await startFake();
  const evil = "bad\u001B[2J\u001B[31m\u001B]0;title\u0007\u009B1m";
  model.on("begin").says([text(evil), call(evil, { path: evil })]);
  model
    .otherwise()
    .says([text([evil, "\u001B", "[2J done"]), call("bash", { command: `printf '%b' '\\033[2J'; sleep 9` })]);
  const run = cli.start(["run", "--mode", "auto", "--title", evil, `begin ${evil}`]);
  await run.says("starts bash");
  const shown = [await cli.run("sessions", "show", "latest"), await cli.run("sessions", "list")];
  run.child.kill("SIGINT");
  const ended = [
    await run.done,
    ...(await Promise.all([cli.run("sessions", "show", "latest"), cli.run("explain", "latest")])),
  ];
  const printed = [...shown, ...ended].map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(printed.match(/[^\P{Cc}\n\t]/gu)).toBeNull();
  expect(printed).toContain("bad");
});

test("send speaks every kind of input that a session takes", async () => {
  const { model, cli } = await startFake();
  model.on("write").calls("write", { path: "a.txt", content: "a" });
  model.on("edited").replies("Written.");
  model.otherwise().replies("Ready.");
  await cli.run("run", "--title", "mine", "hello");
  const send = (...args: readonly string[]) => cli.run("send", "latest", ...args);
  expect((await send("--set", "mode=ask", "max-turns=7", "title=x=y")).code).toBe(0);
  expect((await send("--prompt", "write", "--id", "gone")).code).toBe(0);
  expect((await send("--withdraw", "gone")).code).toBe(0);
  expect((await cli.start(["send", "latest", "--prompt", "-"], { stdin: "write" }).done).code).toBe(0);
  const { code, stdout } = await cli.run("run", "-s", "latest", "--output", "json");
  expect(code).toBe(3);
  const [{ callId } = { callId: "" }] = (JSON.parse(stdout) as { pending: { callId: string }[] }).pending;
  const edited = JSON.stringify({ path: "b.txt", content: "b" });
  expect((await send("--approve", callId, "--args", edited, "--scope", "session")).code).toBe(0);
  expect(await cli.run("run", "-s", "latest")).toMatchObject({ code: 0, stdout: "Written.\n" });
  expect(readFileSync(join(cli.workspace, "b.txt"), "utf8")).toBe("b");
  expect((await send("--steer", "later")).code).toBe(0);
  expect((await send("--cancel")).code).toBe(0);
  expect((await send("--continue", "--json")).stdout).toMatch(/^\{"session":".*","status":"appended"/);
  const shown = JSON.parse((await cli.run("sessions", "show", "latest", "--json")).stdout) as {
    session: { title: string; limits: object };
  };
  expect(shown.session).toMatchObject({ title: "x=y", limits: { inferences: 7 } });
});

test("step takes one step and prints what it committed; --commits stops inside it as a crash would", async () => {
  const { model, cli } = await startFake();
  model.on("look").calls("list", {});
  model.on("empty").replies("Nothing there.");
  await cli.run("run", "--max-turns", "1", "look");
  await cli.run("send", "latest", "--continue");
  await cli.run("send", "latest", "--set", "max-turns=9");
  const took = await cli.run("step", "latest");
  expect(took).toMatchObject({ code: 0, stdout: expect.stringMatching(/^intake +sets at most 9 model calls/) });
  expect(took.stdout.trimEnd().split("\n")).toHaveLength(1);
  expect((await cli.run("explain", "latest")).stdout).toMatch(/-> +inference +openai-compatible\/fake owes a reply/);
  const replied = jsonLines(await cli.run("step", "latest", "--output", "stream-json"));
  expect(replied.filter(({ type }) => type === "entry")).toMatchObject([{ operation: "inference" }]);
  expect(replied.at(-1)).toMatchObject({ type: "outcome", outcome: { status: "open", lifecycle: "deciding" } });
  expect((await cli.run("step", "latest")).stdout).toContain("ends the turn: completed");
  expect(await cli.run("step", "latest")).toMatchObject({ code: 0, stdout: "" });
});

test("step --commits leaves a call dispatched, and the next step tells that it may have happened", async () => {
  const { model, cli } = await startFake();
  model.on("touch").calls("bash", { command: "touch a" });
  model.on("may or may not").replies("I check.");
  await cli.run("run", "touch");
  const { pending } = JSON.parse((await cli.run("run", "-s", "latest", "--output", "json")).stdout) as {
    pending: { callId: string }[];
  };
  await cli.run("send", "latest", "--approve", pending[0]!.callId);
  await cli.run("step", "latest");
  const cut = await cli.run("step", "latest", "--commits", "1");
  expect(cut).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tool-exec +starts bash\n$/) });
  expect((await cli.run("step", "latest")).stdout).toMatch(/^recover +bash unknown: /);
  expect(await cli.run("run", "-s", "latest")).toMatchObject({ code: 0, stdout: "I check.\n" });
  expect(readdirSync(cli.workspace)).toEqual([]);
});

test("a session goes out and in as a file, byte for byte, and a changed one is refused or found damaged", async () => {
  const { model, cli } = await startFake();
  model.on("look").calls("list", {});
  model.otherwise().replies("Nothing there.");
  await cli.run("run", "look");
  const file = join(cli.folder, "session.jsonl");
  expect((await cli.run("sessions", "export", "latest", "--out", file)).code).toBe(0);
  const text = readFileSync(file, "utf8");
  expect((await cli.run("sessions", "export", "latest")).stdout).toBe(text);
  const other = ["--db", join(cli.folder, "other.db")];
  const id = (await cli.run("sessions", "import", file, ...other)).stdout.trim();
  expect((await cli.run("sessions", "export", id, ...other)).stdout).toBe(text);
  const again = (await cli.start(["sessions", "import", "-", ...other], { stdin: text }).done).stdout.trim();
  expect(again).not.toBe(id);
  expect(await cli.run("sessions", "verify", again, ...other)).toMatchObject({
    code: 0,
    stdout: `session ${again} is sound\n`,
  });
  writeFileSync(file, text.replace("Nothing there.", "Something there."));
  const refused = await cli.run("sessions", "import", file, "--db", join(cli.folder, "third.db"));
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/line \d+/) });
  expect((await cli.run("sessions", "import", join(cli.folder, "nowhere"))).code).toBe(2);
  const sqlite = new Sqlite(cli.db);
  sqlite.prepare("update entries set short = replace(short, 'Nothing', 'Anything')").run();
  sqlite.close();
  expect(await cli.run("sessions", "verify", "latest")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^entry \d+: /),
  });
  expect((await cli.run("sessions", "delete", "latest")).code).toBe(0);
  expect((await cli.run("sessions", "list")).stdout).toBe("");
});

test("show prints the whole conversation, cuts long results, and says how to see them", async () => {
  const { model, cli } = await startFake();
  model.on("count").calls("bash", { command: "seq 40" });
  model.on("39").replies("I counted.");
  await cli.run("run", "--mode", "auto", "count");
  const shown = (await cli.run("sessions", "show", "latest")).stdout;
  expect(shown).toMatch(/^count \(session [a-z0-9]+\)\n/);
  expect(shown).toMatch(/\nuser by user, .*\ncount\n/);
  expect(shown).toMatch(/-> bash \{"command":"seq 40"\} \[[a-z0-9]+, succeeded, approved by policy\]/);
  expect(shown).toContain("  12\n  … 29 more lines; --full shows them\n");
  expect(shown).toMatch(/I counted\.\n\ncompleted\n$/);
  expect((await cli.run("sessions", "show", "latest", "--full")).stdout).toContain("\n  40\n");
});
