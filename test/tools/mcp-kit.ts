/** What the MCP stories share: hosts that are closed after each test, a context that remembers, waiting for a condition. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, vi } from "vitest";
import type { CallId } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { HostedTool, ToolContext, ToolResult } from "../../src/core/tool.ts";
import type { McpServerEntry } from "../../src/tools/mcp/config.ts";
import { createMcpHost, type McpHost, type McpHostOptions } from "../../src/tools/mcp/host.ts";
import { calculatorServer } from "../../src/testing/calculator/entry.ts";
import { setup } from "../calculator.setup.ts";

const closers: (() => unknown)[] = [];
beforeAll(setup);
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

export function atEnd(close: () => unknown): void {
  closers.push(close);
}

export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "dacapo-mcp-")));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export type Kit = McpHost & {
  readonly workspace: string;
  readonly logged: readonly string[];
  list(): Promise<readonly HostedTool[]>;
  /** Calls a tool that is listed now. */
  call(name: string, args?: JsonObject, ctx?: ToolContext): Promise<ToolResult>;
};

export function hostOf(servers: Record<string, McpServerEntry>, options: Partial<McpHostOptions> = {}): Kit {
  const workspace = options.workspace ?? folder();
  const logged: string[] = [];
  const host = createMcpHost({ servers, workspace, log: (line) => logged.push(line), ...options });
  atEnd(() => host.close());
  const list = () => host.tools(workspace);
  const call: Kit["call"] = async (name, args = {}, ctx = context()) => {
    const tool = (await list()).find(({ spec }) => spec.name === name);
    if (!tool) throw new Error(`${name} is not listed`);
    return await tool.execute(args, ctx);
  };
  return { ...host, workspace, logged, list, call };
}

/** A calculator behind a shell that first does something else, such as writing its pid. */
export function wrapped(script: string, log?: string): McpServerEntry {
  const { command = "", args = [] } = calculatorServer(log === undefined ? {} : { log });
  return { command: "sh", args: ["-c", script.replace("CALCULATOR", '"$0" "$@"'), command, ...args] };
}

export type Context = ToolContext & {
  readonly progressed: (readonly [number, number | undefined, string | undefined])[];
  readonly collected: string[];
  cancel(): void;
};

export function context(idempotencyKey = "key-1"): Context {
  const controller = new AbortController();
  const progressed: Context["progressed"] = [];
  const collected: string[] = [];
  return {
    callId: "call-1" as CallId,
    idempotencyKey,
    workspace: "/",
    signal: controller.signal,
    collector: () => ({
      write: (text) => void collected.push(text),
      finish: () => ({ text: `head of ${collected.at(-1)?.length} characters` }),
    }),
    progress: (...told: [number, number?, string?]) => void progressed.push([told[0], told[1], told[2]]),
    spawned: async () => {},
    readArtifact: () => undefined,
    progressed,
    collected,
    cancel: () => controller.abort(),
  };
}

export const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });

export async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { timeout: 5_000, interval: 10 });
}

/** The pid that a wrapped server wrote, when it has. */
export async function pidIn(file: string): Promise<number> {
  await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  return Number(readFileSync(file, "utf8"));
}

/** Gone, and not a zombie either. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** Gone, or an orphan that has ended and waits for the system's first process to take notice. */
export function isEnded(pid: number): boolean {
  try {
    return isGone(pid) || /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return isGone(pid);
  }
}
