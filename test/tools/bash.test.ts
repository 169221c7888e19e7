import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import type { CallId } from "../../src/core/ids.ts";
import { isProcessRunning, processStartedAt } from "../../src/tools/process-identity.ts";
import { killProcessTree } from "../../src/tools/process-tree.ts";
import { createTerminalText } from "../../src/tools/terminal-text.ts";
import { until, workbench, type Workbench } from "./workbench.ts";

const isLinux = process.platform === "linux";

/** The process that wrote its pid into this file of the workspace, once it has. */
async function processOf(bench: Workbench, file: string) {
  const path = join(bench.workspace, file);
  await until(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"));
  const pid = Number(readFileSync(path, "utf8"));
  const startedAt = processStartedAt(pid) ?? "gone";
  onTestFinished(() => {
    if (isProcessRunning({ pid, startedAt })) process.kill(pid, "SIGKILL");
  });
  return { pid, startedAt };
}

test("both outputs come in the order in which they were printed, with the exit code", async () => {
  const bench = workbench();
  const command = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done";
  expect(await bench.text("bash", { command })).toBe(
    `${[1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join("")}[exit code 0]`,
  );
});

test("the exit code, a signal and silence are told", async () => {
  const bench = workbench();
  expect(await bench.text("bash", { command: "true" })).toBe("[exit code 0, no output]");
  expect(await bench.text("bash", { command: "exit 3" })).toBe("tool_failed: [exit code 3, no output]");
  expect(await bench.text("bash", { command: "kill -SEGV $$" })).toBe("tool_failed: [ended by SIGSEGV, no output]");
  expect(await bench.text("bash", { command: "printf end; no-such-command-at-all" })).toContain("[exit code 127]");
});

test("a command is bash in the workspace, without input, and sees neither secrets nor a terminal", async () => {
  const environment = {
    PATH: process.env["PATH"] ?? "",
    ANTHROPIC_API_KEY: "sk-ant-12345678",
    MY_TOKEN: "t",
    LANGUAGE: "en",
    FORCE_COLOR: "1",
  };
  const bench = workbench({}, environment);
  const command = 'set -o pipefail; pwd; cat; test -t 0 || echo "no terminal"; env | cut -d= -f1 | sort | tr "\\n" " "';
  const text = await bench.text("bash", { command });
  expect(text).toContain(`${bench.workspace}\nno terminal\n`);
  expect(text).toContain("DACAPO_CALL GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT LANGUAGE MANPAGER NO_COLOR");
  expect(text).not.toMatch(/API_KEY|MY_TOKEN|FORCE_COLOR/);
  const parent = await bench.text("bash", { command: "tr '\\0' '\\n' < /proc/$$/environ | grep -c sk-ant" });
  if (isLinux) expect(parent).toContain("0\n[exit code 1]");
});

test("output is shown as it comes, without colours, and characters are whole whatever the chunks", async () => {
  const bench = workbench();
  const command =
    "mkfifo go; printf '\\033[31mred\\033[0m \\360\\237'; sleep 0.02; printf '\\230\\200 \\377\\n'; read x < go; echo $x";
  const call = bench.text("bash", { command });
  await until(() => bench.output.join("").includes("\n"));
  expect(bench.output.join("")).toBe("red 😀 \uFFFD\n");
  writeFileSync(join(bench.workspace, "go"), "and on\n");
  expect(await call).toBe("red 😀 \uFFFD\nand on\n[exit code 0]");
});

test("escape sequences and characters that are cut by chunks are put together", () => {
  const bytes = Buffer.from("a\u001B[1;31mb\u001B[0mc\u001B]8;;http://x\u0007link\u001B]8;;\u001B\\ é😀 end");
  const terminal = createTerminalText();
  const pieces = [...bytes].map((byte) => terminal.push(Uint8Array.of(byte)));
  expect(pieces.join("") + terminal.end()).toBe("abclink é😀 end");
});

test("100,000 lines go to the collector whole, in pieces that do not pile up", async () => {
  const bench = workbench();
  let pieces = 0;
  let lines = 0;
  let longest = 0;
  const write = (text: string): void => {
    pieces += 1;
    lines += text.split("\n").length - 1;
    longest = Math.max(longest, text.length);
  };
  const collector = () => ({ write, finish: () => ({ text: "head and tail" }) });
  const text = await bench.text(
    "bash",
    { command: "seq 100000 | sed 's/$/ some more text on the line/'" },
    { collector },
  );
  expect(text).toBe("head and tail\n[exit code 0]");
  expect({ lines, bounded: longest <= 128 * 1024, many: pieces > 10 }).toEqual({
    lines: 100_000,
    bounded: true,
    many: true,
  });
});

test("a time limit kills the whole tree and keeps what was printed", async () => {
  const bench = workbench();
  const command = "echo before; trap '' TERM; sleep 300 & echo $! > child; wait; sleep 300";
  const call = bench.text("bash", { command, timeoutSeconds: 0.3 });
  const child = await processOf(bench, "child");
  expect(await call).toBe(
    "tool_timeout: before\n[killed after 0.3 s, before it was done; timeoutSeconds can be up to 600]",
  );
  expect(isProcessRunning(child)).toBe(false);
  expect(bench.processes.map(isProcessRunning)).toEqual([false]);
});

test("a cancel kills the whole tree at once, also what moved to a session of its own, and keeps what was printed", async () => {
  const bench = workbench();
  const command = [
    "echo before",
    "setsid sh -c 'echo $$ > moved; exec sleep 300' &",
    "env -i setsid sh -c 'echo $$ > bare; exec sleep 300' &",
    "(sleep 300 & echo $! > orphan)",
    "sleep 300",
  ].join("\n");
  const call = bench.text("bash", { command });
  const started = await Promise.all(["moved", "bare", "orphan"].map((file) => processOf(bench, file)));
  await until(() => bench.output.length > 0);
  expect(started.map(isProcessRunning)).toEqual([true, true, true]);
  bench.abort.abort();
  expect(await call).toBe("tool_failed: before\n[cancelled and killed before it was done]");
  expect([...started, ...bench.processes].map(isProcessRunning)).toEqual([false, false, false, false]);
});

test("two calls with one id, of two sessions, do not end each other's processes", async () => {
  const bench = workbench();
  const same = { callId: "call-same" as CallId };
  const longer = bench.text("bash", { command: "echo $$ > pid; read x < /dev/null; sleep 300" }, same);
  const other = await processOf(bench, "pid");
  await bench.text("bash", { command: "true" }, same);
  expect(isProcessRunning(other)).toBe(true);
  bench.abort.abort();
  await longer;
  expect(isProcessRunning(other)).toBe(false);
});

test("a background process that holds the output open neither blocks the result nor outlives the command", async () => {
  const bench = workbench();
  const call = bench.text("bash", { command: "sleep 300 & echo $! > child; echo done" });
  const child = await processOf(bench, "child");
  expect(await call).toBe("done\n[exit code 0]\n[1 background process killed]");
  expect(isProcessRunning(child)).toBe(false);
});

test.runIf(isLinux)("a daemon that left session, parent and output is found by its environment", async () => {
  const bench = workbench();
  const daemon = "setsid sh -c '(sleep 300 & echo $! > daemon) > /dev/null 2>&1' < /dev/null > /dev/null 2>&1";
  const call = bench.text("bash", { command: `${daemon}; until test -s daemon; do :; done; echo done` });
  const process = await processOf(bench, "daemon");
  expect(await call).toContain("done\n[exit code 0]\n[1 background process killed]");
  expect(isProcessRunning(process)).toBe(false);
});

test("the process is told before the result, and a refusal of that kills it and goes up", async () => {
  const bench = workbench();
  let told: { pid: number; startedAt: string } | undefined;
  const spawned = async (started: { pid: number; startedAt: string }): Promise<void> => {
    told = started;
    expect(isProcessRunning(started)).toBe(true);
    throw new Error("fenced");
  };
  await expect(bench.text("bash", { command: "sleep 300" }, { spawned })).rejects.toThrow("fenced");
  expect(told !== undefined && isProcessRunning(told)).toBe(false);
});

test("a call that is cancelled before it starts runs nothing", async () => {
  const bench = workbench();
  bench.abort.abort();
  expect(await bench.text("bash", { command: "touch ran" })).toBe("tool_failed: [cancelled before it was done]");
  expect(existsSync(join(bench.workspace, "ran"))).toBe(false);
});

test("what cannot be started is told in words", async () => {
  const bench = workbench();
  expect(await bench.text("bash", { command: "echo \0" })).toContain("contains a NUL character");
  expect(await bench.text("bash", { command: `: ${"x".repeat(3_000_000)}` })).toContain(
    "too long for the operating system",
  );
  expect(await bench.text("bash", { command: "echo (" })).toContain("syntax error");
  const gone = join(bench.outside, "gone");
  expect(await bench.text("bash", { command: "true" }, { workspace: gone })).toContain(`"${gone}" does not exist`);
});

test("a pid that was given to another process is neither running nor killed", async () => {
  const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  const startedAt = processStartedAt(pid) ?? "";
  expect(isProcessRunning({ pid, startedAt })).toBe(true);
  expect(isProcessRunning({ pid, startedAt: "1" })).toBe(false);
  expect(await killProcessTree({ pid, startedAt: "1" })).toEqual({ found: 0, left: 0 });
  expect(isProcessRunning({ pid, startedAt })).toBe(true);
  expect(await killProcessTree({ pid, startedAt })).toEqual({ found: 1, left: 0 });
  expect(processStartedAt(pid)).toBeUndefined();
});
