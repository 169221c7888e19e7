/** Gives the tools of all configured MCP servers, each session's workspace with connections of its own. */
import { UsageError } from "../../core/error.ts";
import { wellFormed, type JsonObject } from "../../core/json.ts";
import type { HostedTool, ToolHost } from "../../core/tool.ts";
import { schemaCheck } from "../schema-check.ts";
import type { McpServerEntry } from "./config.ts";
import type { ListedTool } from "./connection.ts";
import { toolNames } from "./names.ts";
import { Remote } from "./remote.ts";
import { wellFormedJson } from "./results.ts";

const START_LIMIT_MS = 30_000;

export interface McpHostOptions {
  readonly servers: Readonly<Record<string, McpServerEntry>>;
  /** The folder that `connectAll` and `problems` are about. */
  readonly workspace: string;
  /** Gets the servers' stderr and other notices, a line or a few at a time. */
  readonly log?: (line: string) => void;
  /** Replaced by `[redacted:NAME]` in problems and errors, because a server's stderr may repeat its token. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** How long a server may take to start and answer. */
  readonly startLimitMs?: number;
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
}

export interface McpProblem {
  readonly server: string;
  readonly problem: string;
}

export interface McpHost extends ToolHost {
  /** Connects to every server now; rejects with one UsageError that tells of each that is not available. */
  connectAll(): Promise<void>;
  /** The servers of the workspace that are not available, and why. */
  problems(workspace?: string): readonly McpProblem[];
  /** Ends every connection and every process that was started, within a second. */
  close(): Promise<void>;
}

export function createMcpHost(options: McpHostOptions): McpHost {
  const { servers, secrets = {}, log = () => {} } = options;
  const remotes = new Map<string, ReadonlyMap<string, Remote>>();
  const redact = (text: string): string =>
    Object.entries(secrets).reduce((kept, [name, value]) => kept.replaceAll(value, `[redacted:${name}]`), text);
  let isClosed = false;

  const remotesOf = (workspace: string): ReadonlyMap<string, Remote> => {
    const known = remotes.get(workspace);
    if (known) return known;
    const { startLimitMs = START_LIMIT_MS, now = () => performance.now() } = options;
    const shared = { workspace, startLimitMs, now, log: (line: string) => log(redact(wellFormed(line))) };
    const enabled = Object.entries(servers).filter(([, entry]) => entry.disabled !== true);
    const made = new Map(enabled.map(([name, entry]) => [name, new Remote({ ...shared, name, entry })]));
    remotes.set(workspace, made);
    return made;
  };
  const problemsOf = (workspace: string): readonly McpProblem[] =>
    [...(remotes.get(workspace) ?? [])].flatMap(([server, remote]) => {
      const problem = remote.problem;
      return problem === undefined ? [] : [{ server, problem: redact(wellFormed(problem)) }];
    });
  /** Every server at once: there are as many as a person configured. */
  const listAll = async (workspace: string): Promise<readonly Listing[]> => {
    if (isClosed) throw new Error("the MCP host is closed");
    const all = [...remotesOf(workspace)];
    const listings = await Promise.all(
      all.map(async ([server, remote]) => ({ server, remote, listed: await remote.tools() })),
    );
    const missing = new Set(all.filter(([, remote]) => !remote.wasConnected).map(([server]) => server));
    const mistakes = problemsOf(workspace).filter(({ server }) => missing.has(server));
    if (mistakes.length > 0) throw new UsageError(mistakes.map(startProblem).join("\n"));
    return listings;
  };
  return {
    connectAll: async () => void (await listAll(options.workspace)),
    tools: async (workspace) => hostedTools(await listAll(workspace), servers),
    problems: (workspace = options.workspace) => problemsOf(workspace),
    close: async () => {
      isClosed = true;
      await Promise.all([...remotes.values()].flatMap((group) => [...group.values()].map((remote) => remote.close())));
    },
  };
}

interface Listing {
  readonly server: string;
  readonly remote: Remote;
  readonly listed: readonly ListedTool[];
}

function startProblem({ server, problem }: McpProblem): string {
  return `The MCP server "${server}" is not available: ${problem} To go on without it, set "disabled": true.`;
}

function hostedTools(listings: readonly Listing[], servers: McpHostOptions["servers"]): readonly HostedTool[] {
  const all = listings.flatMap(({ server, remote, listed }) => listed.map((tool) => ({ server, remote, tool })));
  const names = toolNames(all.map(({ server, tool }) => ({ server, tool: tool.name })));
  return all.map(({ server, remote, tool }, at) => {
    const inputSchema = objectSchema(tool.inputSchema);
    return {
      spec: {
        name: names[at] as string,
        description: wellFormed(tool.description ?? tool.title ?? tool.name),
        inputSchema,
      },
      declaration: declarationOf(tool, { server, isTrusted: servers[server]?.trustAnnotations === true }),
      server,
      check: checkOf(tool, inputSchema),
      execute: (args, ctx) => remote.execute(tool.name, args, ctx),
    };
  });
}

/** Compiled once for as long as the server's list stands. */
const checks = new WeakMap<ListedTool, HostedTool["check"]>();

function checkOf(tool: ListedTool, inputSchema: JsonObject): HostedTool["check"] {
  const known = checks.get(tool);
  if (known) return known;
  const made = schemaCheck(inputSchema);
  checks.set(tool, made);
  return made;
}

/** Providers refuse a tool whose schema is not of type object. */
function objectSchema(schema: ListedTool["inputSchema"]): JsonObject {
  return { ...(wellFormedJson(schema) as JsonObject), type: "object" };
}

function declarationOf(
  { annotations }: ListedTool,
  { server, isTrusted }: { readonly server: string; readonly isTrusted: boolean },
): HostedTool["declaration"] {
  const readOnly = isTrusted && annotations?.readOnlyHint === true;
  const idempotent = readOnly || (isTrusted && annotations?.idempotentHint === true);
  // A server whose annotations are not believed may touch anything, files of the workspace among it.
  return { readOnly, idempotent, touches: isTrusted ? [`server:${server}`] : ["*"] };
}
