/** One live connection to an MCP server: opened within a time limit, closed for good once it is lost. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { McpServerEntry } from "./config.ts";
import { createLink, type Link } from "./link.ts";
import { loadSdk, type Sdk } from "./sdk.ts";
import { complaintOf, DEEPEST, isTooDeep } from "./words.ts";

const MOST_PAGES = 100;
const PING_MS = 3_000;
const LONGEST_LOG = 500;
const NEVER_MS = 2 ** 31 - 1;

/** A tool as its server lists it; lenient, so that one odd tool does not hide the others. */
export const ListedTool = z.looseObject({
  name: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.json()).catch({}),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional(), idempotentHint: z.boolean().optional() })
    .optional()
    .catch(undefined),
});
export type ListedTool = z.infer<typeof ListedTool>;
const ToolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Lenient too: the call has had its effect, whatever is odd in its result. */
export const CallOutput = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallOutput = z.infer<typeof CallOutput>;

export interface ConnectionOptions {
  readonly workspace: string;
  readonly startLimitMs: number;
  /** Aborted when the host is closed. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly toolsChanged: () => void;
  /** The server asked the person something, and was answered `cancel`. */
  readonly asked: (question: string) => void;
}

export interface ServerCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

export interface Connection {
  /** Why it is lost, or undefined while it lives. */
  lost(): string | undefined;
  listTools(): Promise<readonly ListedTool[]>;
  /** Rejects when the signal is aborted (the server is told), when the connection is lost, or with the server's own error. */
  call(call: ServerCall): Promise<CallOutput>;
  /** `reason` is what `lost` says from now on, unless the connection was lost before. */
  close(reason?: string): Promise<void>;
}

/** Rejects with an Error whose message says why the server is not available and what to do about it. */
export async function openConnection(entry: McpServerEntry, options: ConnectionOptions): Promise<Connection> {
  const sdk = await loadSdk();
  const client = createClient(sdk, options);
  const link = createLink(sdk, entry, options);
  try {
    await inTime(options, () => client.connect(link.transport, { timeout: NEVER_MS }));
  } catch (error) {
    await link.close();
    throw new Error(link.diagnose(error), { cause: error });
  }
  return connectionOver(client, link, options);
}

function createClient(sdk: Sdk, { workspace, toolsChanged, asked }: ConnectionOptions) {
  const client = new sdk.Client(
    { name: "dacapo", version: "0.1" },
    { capabilities: { roots: {}, elicitation: { form: { applyDefaults: true } } } },
  );
  client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }],
  }));
  client.setRequestHandler(sdk.ElicitRequestSchema, (request) => {
    asked(request.params.message);
    return { action: "cancel" as const };
  });
  client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, toolsChanged);
  return client;
}

type Client = ReturnType<typeof createClient>;

function connectionOver(client: Client, link: Link, options: ConnectionOptions): Connection {
  let lost: string | undefined;
  let lastError: unknown = new Error("closed the connection");
  let checking: Promise<void> | undefined;
  const close = async (reason = "it was closed."): Promise<void> => {
    lost ??= reason;
    await link.close();
  };
  const check = async (): Promise<void> => {
    try {
      await client.ping({ timeout: PING_MS });
    } catch (error) {
      await close(link.diagnose(error));
    }
    checking = undefined;
  };
  client.onclose = () => {
    lost ??= link.diagnose(lastError);
  };
  client.onerror = (error) => {
    lastError = error;
    options.log(complaintOf(error).slice(0, LONGEST_LOG));
    // A request in flight would otherwise wait for its time limit.
    if (!link.tellsWhenGone && lost === undefined) checking ??= check();
  };
  return {
    lost: () => lost,
    close,
    listTools: () => listTools(client, options),
    call: async ({ name, args, meta, signal, onProgress }) => {
      const params = { name, arguments: { ...args }, _meta: { ...meta } };
      const limits = { signal, timeout: NEVER_MS, onprogress: onProgress };
      try {
        return await client.request({ method: "tools/call", params }, CallOutput, limits);
      } catch (error) {
        if (!signal.aborted) await checking;
        throw error;
      }
    },
  };
}

async function listTools(client: Client, { startLimitMs, log }: ConnectionOptions): Promise<readonly ListedTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const found = new Map<string, ListedTool>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, ToolPage, { timeout: startLimitMs });
    for (const raw of answer.tools) {
      if (isTooDeep(raw)) {
        log(`a tool whose description is nested more than ${DEEPEST} levels deep was left out`);
        continue;
      }
      const tool = ListedTool.safeParse(raw);
      if (!tool.success) log(`a tool without a name was left out: ${JSON.stringify(raw).slice(0, 200)}`);
      else if (found.has(tool.data.name)) log(`the tool ${tool.data.name} is listed twice; the first one counts`);
      else found.set(tool.data.name, tool.data);
    }
    if (answer.nextCursor === undefined || answer.nextCursor === cursor) return [...found.values()];
    cursor = answer.nextCursor;
  }
  log(`lists more than ${MOST_PAGES} pages of tools; the rest was left out`);
  return [...found.values()];
}

/** Gives up when the host is closed, or after the limit. The timer is our own: Node 20 collects an `AbortSignal.timeout`. */
async function inTime<T>({ signal, startLimitMs }: ConnectionOptions, start: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop);
    timer = setTimeout(() => reject(new DOMException("the time is over", "TimeoutError")), startLimitMs);
  });
  try {
    return await Promise.race([start(), over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
