/** A folder with files, the built-in tools and a context to call them in, for the stories of this folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ArtifactId, CallId } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { HostedTool, ToolContext, ToolResult } from "../../src/core/tool.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";

export interface Workbench {
  readonly workspace: string;
  /** Where the workspace is in: a place outside. */
  readonly outside: string;
  readonly output: string[];
  readonly processes: { readonly pid: number; readonly startedAt: string }[];
  readonly abort: AbortController;
  context(): ToolContext;
  tool(name: string): Promise<HostedTool>;
  call(name: string, args: JsonObject, changed?: Partial<ToolContext>): Promise<ToolResult>;
  /** The text of the result, with the kind of error before it. */
  text(name: string, args: JsonObject, changed?: Partial<ToolContext>): Promise<string>;
}

let calls = 0;

export function workbench(
  files: Record<string, string | Buffer> = {},
  environment?: Record<string, string>,
): Workbench {
  const outside = mkdtempSync(join(tmpdir(), "dacapo-tools-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const workspace = join(outside, "workspace");
  mkdirSync(workspace);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const host = createBuiltinTools(environment === undefined ? {} : { environment });
  const output: string[] = [];
  const processes: { pid: number; startedAt: string }[] = [];
  const abort = new AbortController();
  const tool = async (name: string): Promise<HostedTool> => {
    const found = (await host.tools(workspace)).find(({ spec }) => spec.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    return found;
  };
  const call = async (name: string, args: JsonObject, changed: Partial<ToolContext> = {}): Promise<ToolResult> => {
    const called = await tool(name);
    const checked = called.check(args);
    if (!checked.ok) throw new Error(checked.problem);
    return called.execute(checked.args, { ...context(), ...changed });
  };
  const context = (): ToolContext => ({
    callId: `call-${(calls += 1)}` as CallId,
    idempotencyKey: `${process.pid}-key-${calls}`,
    workspace,
    signal: abort.signal,
    collector: () => ({ write: (text) => void output.push(text), finish: () => collected(output) }),
    progress: () => undefined,
    spawned: async (started) => void processes.push(started),
    readArtifact: () => undefined,
  });
  const text = async (name: string, args: JsonObject, changed: Partial<ToolContext> = {}): Promise<string> => {
    const result = await call(name, args, changed);
    const words = result.content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("\n");
    return result.errorKind === undefined ? words : `${result.errorKind}: ${words}`;
  };
  return { workspace, outside, output, processes, abort, context, tool, call, text };
}

function collected(output: readonly string[]): { text: string; artifact?: ArtifactId } {
  const whole = output.join("");
  return whole.length <= 64 * 1024 ? { text: whole } : { text: whole.slice(0, 1000), artifact: "art" as ArtifactId };
}

/** Resolves once the claim holds; for what no event tells. */
export async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((resolve) => setTimeout(resolve, 5));
}
