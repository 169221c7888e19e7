/** Runs one shell command to its end, its time limit or its cancellation, and leaves no process behind. */
import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { ToolContext } from "../core/tool.ts";
import { CALL_MARKER } from "./command-environment.ts";
import { fileErrorText } from "./file-error.ts";
import { processStartedAt } from "./process-identity.ts";
import { watchGroup } from "./process-group.ts";
import { killProcessTree, killProcessTreeNow } from "./process-tree.ts";
import { createTerminalText } from "./terminal-text.ts";
import { ToolRefusal } from "./tool-result.ts";

/** A background process may hold the output open: this long is waited for what the command itself has printed. */
const DRAIN_MS = 100;
const LAST_DRAIN_MS = 1000;

/** Both outputs go into one pipe, which keeps their order; the shell replaces this one, so the pid is the command's. */
const PRELUDE = `export ${CALL_MARKER}="$${CALL_MARKER}.$$"
if command -v bash >/dev/null 2>&1; then exec bash -c "$1" 2>&1; else exec sh -c "$1" 2>&1; fi`;

export interface Command {
  readonly text: string;
  readonly timeoutMs: number;
  readonly environment: Record<string, string>;
}

export interface CommandEnd {
  readonly reason: "exited" | "timeout" | "aborted";
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** How many processes still ran at the end and were ended. */
  readonly killed: number;
  /** How many of them would not go. */
  readonly left: number;
}

/** Gives the output to `write` as it comes, never after it has resolved. */
export async function runCommand(
  command: Command,
  ctx: ToolContext,
  write: (text: string) => void,
): Promise<CommandEnd> {
  const child = start(command, ctx.workspace);
  const exited = exitOf(child, ctx.workspace);
  const output = readOutput(child, write);
  const tree = { ...identityOf(child), callId: ctx.callId };
  // Whoever leaves without waiting for the end of this function (a second Ctrl-C) takes the command along.
  const group = child.pid === undefined ? undefined : watchGroup(child.pid, () => killProcessTreeNow(tree));
  const limit = new AbortController();
  try {
    if (tree.startedAt !== "") await ctx.spawned({ pid: tree.pid, startedAt: tree.startedAt });
    const reason = await Promise.race([
      exited.then(() => "exited" as const),
      stopOf(ctx.signal, command, limit.signal),
    ]);
    if (reason === "exited") await within(DRAIN_MS, output.ended);
    const { found, left } = await killProcessTree(tree);
    await within(LAST_DRAIN_MS, output.ended);
    const { code, signal } = left > 0 && reason !== "exited" ? { code: null, signal: null } : await exited;
    return { reason, code, signal, killed: found, left };
  } catch (error) {
    if (child.pid !== undefined) await killProcessTree(tree);
    throw error;
  } finally {
    group?.ended();
    limit.abort();
    output.close();
  }
}

function start(command: Command, workspace: string): ChildProcess {
  try {
    return spawn("/bin/sh", ["-c", PRELUDE, "sh", command.text], {
      cwd: workspace,
      env: command.environment,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    throw startRefusal(error, workspace);
  }
}

function exitOf(
  child: ChildProcess,
  workspace: string,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (error) => reject(startRefusal(error, workspace)));
  });
  exited.catch(() => undefined);
  return exited;
}

function startRefusal(error: unknown, workspace: string): Error {
  if (error instanceof TypeError)
    return new ToolRefusal("The command contains a NUL character, which no command can have.");
  const words = fileErrorText(error, workspace);
  if (words === undefined) return error instanceof Error ? error : new Error(String(error));
  if (words.includes("E2BIG")) {
    return new ToolRefusal("The command is too long for the operating system. Write it to a file and run that.");
  }
  return new ToolRefusal(`The command could not be started. ${words}`);
}

/** Read at once: as long as we have not gone back to the event loop, even a process that has ended is still there. */
function identityOf(child: ChildProcess): { readonly pid: number; readonly startedAt: string } {
  const pid = child.pid ?? 0;
  return { pid, startedAt: processStartedAt(pid) ?? "" };
}

function readOutput(child: ChildProcess, write: (text: string) => void) {
  const terminal = createTerminalText();
  let isOpen = true;
  const give = (text: string): void => {
    if (isOpen && text !== "") write(text);
  };
  child.stdout?.on("data", (bytes: Buffer) => give(terminal.push(bytes)));
  child.stdout?.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => child.stdout?.once("close", resolve));
  return {
    ended,
    close(): void {
      give(terminal.end());
      isOpen = false;
      child.stdout?.destroy();
    },
  };
}

function stopOf(cancel: AbortSignal, command: Command, done: AbortSignal): Promise<"timeout" | "aborted"> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("timeout"), command.timeoutMs);
    const onAbort = (): void => resolve("aborted");
    if (cancel.aborted) onAbort();
    cancel.addEventListener("abort", onAbort, { once: true, signal: done });
    done.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

async function within(ms: number, event: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  try {
    await Promise.race([event, delay(ms, undefined, { signal: enough.signal })]);
  } finally {
    enough.abort();
  }
}
