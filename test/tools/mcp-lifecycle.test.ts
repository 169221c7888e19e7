import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { UsageError } from "../../src/core/error.ts";
import { calculatorServer } from "../../src/testing/calculator/entry.ts";
import { calculatorEffects } from "../../src/testing/calculator/journal.ts";
import { startCalculatorHttp } from "../../src/testing/calculator/http.ts";
import type { McpServerEntry } from "../../src/tools/mcp/config.ts";
import { atEnd, context, folder, hostOf, isEnded, isGone, pidIn, text, until, wrapped } from "./mcp-kit.ts";

test("a server that dies in mid-call answers unavailable, and is back for the next list", async () => {
  const log = join(folder(), "effects");
  const host = hostOf({ calc: calculatorServer({ log }) });
  const waiting = host.call("calc__hang");
  await until(() => calculatorEffects(log).length === 1);
  const results = await Promise.all([host.call("calc__crash"), waiting]);
  const lost = {
    errorKind: "tool_unavailable",
    content: [text(expect.stringMatching(/"calc" was lost during the call, .* was ended by SIGKILL/) as string)],
  };
  expect(results).toEqual([lost, lost]);
  expect(host.problems()).toEqual([{ server: "calc", problem: expect.stringContaining("SIGKILL") }]);
  expect(await host.call("calc__total")).toEqual({ content: [text("0")] });
  expect(host.problems()).toEqual([]);
});

test("a lost server has no tools until it can be started again, and is not tried more often than its back-off allows", async () => {
  const [flag, starts] = [join(folder(), "broken"), join(folder(), "starts")];
  let now = 0;
  const server = wrapped(
    `echo start 1 - >> ${starts}; test -e ${flag} && { echo out of paper >&2; exit 3; }; exec CALCULATOR`,
  );
  const host = hostOf({ calc: server, other: calculatorServer() }, { now: () => now });
  const [crash] = (await host.list()).filter(({ spec }) => spec.name === "calc__crash");
  const count = (await host.list()).length;
  await host.call("calc__crash");
  expect(await crash?.execute({}, context())).toMatchObject({
    errorKind: "tool_unavailable",
    content: [text(expect.stringContaining("nothing was done") as string)],
  });

  writeFileSync(flag, "");
  for (let turn = 0; turn < 3; turn += 1) expect(await host.list()).toHaveLength(count / 2);
  expect(calculatorEffects(starts)).toHaveLength(2);
  expect(host.problems()).toEqual([
    { server: "calc", problem: expect.stringMatching(/exited with code 3[^]*out of paper/) },
  ]);

  rmSync(flag);
  now += 1_000;
  expect(await host.list()).toHaveLength(count);
  expect(calculatorEffects(starts)).toHaveLength(3);
});

test("an HTTP server that goes away in mid-call answers unavailable, and is back under the same address", async () => {
  let now = 0;
  const first = await startCalculatorHttp();
  const host = hostOf({ calc: first.entry }, { now: () => now });
  expect(await host.call("calc__crash")).toMatchObject({ errorKind: "tool_unavailable" });
  expect(await host.list()).toEqual([]);
  const second = await startCalculatorHttp({ port: first.port });
  atEnd(() => second.close());
  now += 1_000;
  expect(await host.call("calc__total")).toEqual({ content: [text("0")] });
  await host.close();
  expect(second.connections()).toBe(0);
});

test("an HTTP server that was restarted between two calls is found again", async () => {
  let now = 0;
  const first = await startCalculatorHttp();
  const host = hostOf({ calc: { ...first.entry, headers: { "X-Token": "abc" } } }, { now: () => now });
  await host.list();
  expect(first.lastHeaders()["x-token"]).toBe("abc");
  await first.close();
  const second = await startCalculatorHttp({ port: first.port });
  atEnd(() => second.close());
  await until(() => host.problems().length > 0 || second.connections() > 0);
  now += 60_000;
  expect(await host.call("calc__add", { a: 1 })).toMatchObject({ content: [text("1"), {}] });
});

const broken: readonly [string, McpServerEntry, RegExp][] = [
  [
    "exits",
    { command: "sh", args: ["-c", "echo no licence >&2; exit 3"] },
    /exited with code 3 \(command: sh -c .*\)\. The last lines of its stderr:\n {2}no licence\n/,
  ],
  [
    "never answers",
    { command: "sh", args: ["-c", "echo booting >&2; sleep 1000"] },
    /did not answer in time .*\n {2}booting\n Run the command by itself/,
  ],
  [
    "is not installed",
    { command: "no-such-program" },
    /the command no-such-program was not found\. Install it or correct "command"/,
  ],
  [
    "starts in no folder",
    { command: "sh", cwd: "/no/such" },
    /its folder \/no\/such does not exist\. Create it or correct "cwd"/,
  ],
  ["answers nonsense", { command: "sh", args: ["-c", "echo '[]'; echo 'Hello!'; cat >&2"] }, /did not answer in time/],
  [
    "has no port open",
    { url: "http://127.0.0.1:1/mcp" },
    /fetch failed: .*\(at http:\/\/127\.0\.0\.1:1\/mcp\)\. Check that the server runs/,
  ],
];

test.each(broken)(
  "a server that %s is a usage error that names it, what it said and the next move",
  async (_what, entry, message) => {
    const host = hostOf({ bad: entry }, { startLimitMs: 500 });
    const error: unknown = await host.connectAll().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(/^The MCP server "bad" is not available: (it|its|the command) /);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toMatch(/set "disabled": true\.$/);
  },
);

test("one error tells of every server that is missing", async () => {
  const servers = { good: calculatorServer(), bad: { command: "no-such-a" }, worse: { command: "no-such-b" } };
  const host = hostOf(servers);
  await expect(host.connectAll()).rejects.toThrow(/"bad" [^]*\n[^]*"worse" /);
  expect(host.problems().map(({ server }) => server)).toEqual(["bad", "worse"]);
});

test("a server that also prints text on stdout works, and what it prints on stderr is logged", async () => {
  const host = hostOf({
    calc: wrapped('echo Welcome to the calculator!; echo \'{"not": "a message"}\'; echo ready >&2; exec CALCULATOR'),
  });
  expect(await host.call("calc__total")).toEqual({ content: [text("0")] });
  expect(host.logged).toContain('MCP server "calc": stderr: ready');
});

test("a server that sends more than 10 MB at once is given up with that reason, and started anew", async () => {
  const host = hostOf({ calc: calculatorServer() });
  expect(await host.call("calc__big", { bytes: 11_000_000 })).toMatchObject({
    errorKind: "tool_unavailable",
    content: [text(expect.stringContaining("sent a message that is too long") as string)],
  });
  expect(await host.call("calc__total")).toEqual({ content: [text("0")] });
});

test("closing is quick and leaves no process, though the server ignores the end of its input, SIGTERM, and has a child", async () => {
  const place = folder();
  const [leader, child] = [join(place, "leader"), join(place, "child")];
  const script = `trap "" TERM; echo $$ > ${leader}; sleep 1000 & echo $! > ${child}; CALCULATOR; sleep 1000`;
  const host = hostOf({ calc: wrapped(script) });
  await host.list();
  const started = performance.now();
  await host.close();
  expect(performance.now() - started).toBeLessThan(1_500);
  expect(isGone(await pidIn(leader))).toBe(true);
  const orphan = await pidIn(child);
  await until(() => isEnded(orphan));
  await expect(host.list()).rejects.toThrow("the MCP host is closed");
});

test("what a dead server had started is ended with it", async () => {
  const child = join(folder(), "child");
  const host = hostOf({ calc: wrapped(`sleep 1000 & echo $! > ${child}; exec CALCULATOR`) });
  await host.call("calc__crash");
  const pid = await pidIn(child);
  await until(() => isEnded(pid));
});

test("closing does not wait for a server that is still starting", async () => {
  const pidFile = join(folder(), "pid");
  const host = hostOf({ slow: { command: "sh", args: ["-c", `echo $$ > ${pidFile}; exec sleep 1000`] } });
  const starting = host.connectAll().catch((error: unknown) => String(error));
  const pid = await pidIn(pidFile);
  await host.close();
  expect(isGone(pid)).toBe(true);
  expect(await starting).toContain("was closed while it started");
});

test("two workspaces share no server process, and one workspace starts it once", async () => {
  const [one, two] = [folder(), folder()];
  const pids = join(folder(), "pids");
  const host = hostOf({ calc: wrapped(`echo start 1 - >> ${pids}; exec CALCULATOR`) });
  const [first, , second] = await Promise.all([host.tools(one), host.tools(one), host.tools(two)]);
  const roots = (tools: typeof first) => tools.find(({ spec }) => spec.name === "calc__roots")?.execute({}, context());
  expect(await roots(first)).toEqual({ content: [text(`file://${one}`)] });
  expect(await roots(second)).toEqual({ content: [text(`file://${two}`)] });
  expect(calculatorEffects(pids)).toHaveLength(2);
});

test("a server's process gets its configured variables and none of our keys, and its token is redacted from its errors", async () => {
  process.env["ANTHROPIC_API_KEY"] = "sk-secret-of-ours";
  const env = { SERVER_TOKEN: "token-of-the-server" };
  const script = 'echo "[$ANTHROPIC_API_KEY] [$SERVER_TOKEN] $HOME" >&2; exit 1';
  const host = hostOf({ calc: { command: "sh", args: ["-c", script], env } }, { secrets: env });
  await expect(host.connectAll()).rejects.toThrow(`[] [[redacted:SERVER_TOKEN]] ${process.env["HOME"]}`);
  delete process.env["ANTHROPIC_API_KEY"];
  expect(host.logged.join()).not.toContain("token-of-the-server");
});

test("a server that never answers is reported within its limit, whatever is collected as garbage meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const collecting = setInterval(collect, 20);
  atEnd(() => clearInterval(collecting));
  const host = hostOf({ silent: { command: "sh", args: ["-c", "cat >&2"] } }, { startLimitMs: 300 });
  await expect(host.connectAll()).rejects.toThrow(/"silent" is not available: it did not answer in time/);
});
