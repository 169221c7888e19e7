/** Bad usage: exit 2, told in words and as JSON, and nothing written. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli, lastLine } from "./cli.ts";

test("bad usage exits 2 with an outcome line, and leaves no database", async () => {
  const cli = createCli();
  writeFileSync(join(cli.workspace, "mcp.json"), '{"mcpServers":{"gone":{"command":"/no/such/program"}}}');
  writeFileSync(join(cli.workspace, "bad.json"), "{");
  const told = await Promise.all(
    [
      ["run", "hi", "--output", "json"],
      ["run", "--output", "json", "--model", "demo"],
      ["run", "hi", "--output=stream-json", "--model", "anthropic/x"],
      ["run", "hi", "--output", "json", "--model", "nobody/x"],
      ["run", "hi", "--output", "json", "--model", "openai-compatible/x"],
      ["run", " ", "--output", "json", "--model", "demo"],
      ["run", "hi", "--output", "json", "--model", "demo", "--cwd", "nowhere"],
      ["run", "hi", "--output", "json", "--model", "demo", "--max-turns", "0"],
      ["run", "hi", "--output", "json", "--model", "demo", "--mcp", "nowhere.json"],
      ["run", "hi", "--output", "json", "--model", "demo", "--mcp", "bad.json"],
      ["run", "hi", "--output", "json", "--model", "demo", "--mcp", "mcp.json"],
      ["run", "hi", "there", "--output", "json", "--model", "demo"],
      ["run", "--bogus", "--output", "json"],
      ["run", "--max-cost", "1", "--output", "json", "hi"],
      ["run", "-s", "latest", "--output", "json"],
      ["step", "latest", "--output", "json"],
      ["explain", "latest", "--json"],
      ["sessions", "show", "latest", "--json"],
      ["serve", "--output", "json"],
      ["sessions", "fork", "latest", "--json"],
    ].map((args) => cli.run(...args)),
  );
  const messages = told.map((end) => {
    const { type, outcome } = lastLine(end) as { type: string; outcome: { status: string; error: { kind: string } } };
    return { code: end.code, type, kind: outcome.error.kind, onStderr: end.stderr !== "" };
  });
  expect(messages).toEqual(told.map(() => ({ code: 2, type: "outcome", kind: "usage", onStderr: true })));
  expect(existsSync(cli.db)).toBe(false);
});

test("a database that is none, is damaged or cannot be made exits 2 and stays as it was", async () => {
  const cli = createCli({ DACAPO_MODEL: "demo" });
  const file = join(cli.folder, "notes.txt");
  writeFileSync(
    file,
    "these are my notes, and they are longer than the header of a database, which has a hundred bytes or so\n",
  );
  for (const db of [file, join(file, "below.db"), cli.folder]) {
    const end = await cli.run("run", "hi", "--db", db, "--output", "json");
    expect({ db, code: end.code, told: end.stderr.includes(db) }).toEqual({ db, code: 2, told: true });
    expect(lastLine(end)["outcome"]).toMatchObject({ status: "failed", error: { kind: "usage" } });
  }
  expect((await cli.run("sessions", "list", "--db", join(cli.folder, "typo.db"))).code).toBe(2);
  expect((await cli.run("sessions", "list")).stderr).toContain("no session yet");
});

test("a flag without a value is refused by its name, and makes no database", async () => {
  const cli = createCli();
  const flags = ["--cwd", "--db", "--mcp", "--title", "--model", "--base-url", "--session"];
  const ends = await Promise.all(
    flags.flatMap((flag) => [
      cli.run("run", "hi", "--output", "json", "--model", "demo", flag, ""),
      cli.run("run", "hi", "--output", "json", "--model", "demo", flag, " "),
    ]),
  );
  ends.forEach((end, at) => {
    const flag = flags[Math.floor(at / 2)]!;
    expect({ flag, code: end.code, told: end.stderr }).toEqual({ flag, code: 2, told: expect.stringContaining(flag) });
    expect(lastLine(end)["outcome"]).toMatchObject({ status: "failed", error: { kind: "usage" } });
  });
  expect(existsSync(cli.db)).toBe(false);
});

test("what cannot be sent is told by its value, and nothing is appended", async () => {
  const cli = createCli({ DACAPO_MODEL: "demo" });
  await cli.run("run", "hi");
  const before = (await cli.run("sessions", "export", "latest")).stdout;
  for (const turns of ["0x10", " 5 ", "1e2", "+3", "0"]) {
    const end = await cli.run("send", "latest", "--set", `max-turns=${turns}`);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(`"${turns}"`) });
  }
  for (const id of ["no spaces", "a".repeat(41), "é"]) {
    const end = await cli.run("send", "latest", "--prompt", "hi", "--id", id);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(`"${id}" is not an input's id`) });
  }
  expect((await cli.run("sessions", "export", "latest")).stdout).toBe(before);
  expect((await cli.run("send", "latest", "--prompt", "hi", "--id", "mine_1")).stdout).toContain("mine_1");
});

test("a folder to import, or to start in that is gone, exits 2 in words", async () => {
  const cli = createCli();
  mkdirSync(join(cli.workspace, "exports"));
  const folder = await cli.run("sessions", "import", "exports");
  expect(folder).toMatchObject({ code: 2, stderr: expect.stringMatching(/exports .*folder.*sessions export/) });
  expect(existsSync(cli.db)).toBe(false);
  const gone = await cli.shell("cd exports && rmdir ../exports && dacapo run --model demo --output json hi");
  expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining("started in is gone") });
  expect(lastLine(gone)["outcome"]).toMatchObject({ status: "failed", error: { kind: "usage" } });
});

test("every command has a help page with examples, and bare dacapo prints help", async () => {
  const cli = createCli();
  const commands = [
    "run",
    "send",
    "step",
    "explain",
    "fake-model",
    "demo",
    "sessions list",
    "sessions show",
    "sessions export",
    "sessions import",
    "sessions verify",
    "sessions delete",
  ];
  const pages = await Promise.all(commands.map((command) => cli.run(...command.split(" "), "--help")));
  expect(pages.map(({ code }) => code)).toEqual(commands.map(() => 0));
  pages.forEach(({ stdout }, at) => expect(stdout).toContain(`Examples:\n  $ dacapo ${commands[at]}`));
  const [bare, version] = [await cli.run(), await cli.run("--version")];
  expect(bare).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage: dacapo") });
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test("a session id may be a unique beginning, and one that names none or several says so", async () => {
  const cli = createCli({ DACAPO_MODEL: "demo" });
  mkdirSync(join(cli.workspace, "below"));
  await cli.run("run", "one");
  await cli.run("run", "two", "--cwd", "below");
  const list = JSON.parse((await cli.run("sessions", "list", "--json")).stdout) as { id: string }[];
  const [{ id: newest } = { id: "" }, { id: oldest } = { id: "" }] = list;
  expect((await cli.run("explain", oldest.slice(0, 8), "--json")).stdout).toContain(oldest);
  expect((await cli.run("explain", "latest", "--json")).stdout).toContain(newest);
  expect((await cli.run("sessions", "list", "--here")).stdout).not.toContain(newest);
  const none = await cli.run("explain", "nosuch");
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no session "nosuch"') });
  const moved = await cli.run("run", "-s", newest, "--cwd", ".", "three");
  expect(moved).toMatchObject({ code: 2, stderr: expect.stringContaining("--cwd cannot move it") });
});
