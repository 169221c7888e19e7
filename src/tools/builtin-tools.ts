/** Gathers the built-in tools of a workspace into one host. */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { HostedTool, ToolHost } from "../core/tool.ts";
import { createBashTool } from "./bash.ts";
import { createEditTool } from "./edit.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createListTool } from "./list.ts";
import { createReadTool } from "./read.ts";
import type { Environment } from "./secrets.ts";
import { ToolRefusal } from "./tool-result.ts";
import { subjectPath } from "./workspace-path.ts";
import { createWriteTool } from "./write.ts";

export interface BuiltinToolsOptions {
  /** What commands inherit, but for its secrets. Default: that of this process. */
  readonly environment?: Environment;
  /** The ripgrep executable. Default: the one of the package @vscode/ripgrep. */
  readonly ripgrepPath?: string;
  /** Folders outside the workspace that `read` may read, such as those of skills. */
  readonly readRoots?: readonly string[];
}

export function createBuiltinTools(options: BuiltinToolsOptions = {}): ToolHost {
  const made = new Map<string, Promise<readonly HostedTool[]>>();
  return {
    tools(workspace) {
      const known = made.get(workspace) ?? makeTools(workspace, options);
      made.set(workspace, known);
      return known;
    },
  };
}

async function makeTools(workspace: string, options: BuiltinToolsOptions): Promise<readonly HostedTool[]> {
  const given = resolve(workspace);
  // A workspace that is gone still has its tools: each call says what is wrong.
  const workspaces = [given, await realpath(given).catch(() => given)];
  const subjectOf = (path: string): string => subjectPath(workspaces, path);
  return [
    createReadTool(subjectOf, options.readRoots),
    createWriteTool(subjectOf),
    createEditTool(subjectOf),
    createBashTool(options.environment ?? process.env),
    createGrepTool(subjectOf, () => findRipgrep(options.ripgrepPath)),
    createGlobTool(subjectOf),
    createListTool(subjectOf),
  ];
}

async function findRipgrep(given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    throw new ToolRefusal(
      "ripgrep is not installed for this platform. Search with bash and grep -rn.",
      "tool_unavailable",
    );
  }
}
