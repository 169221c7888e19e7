/** One configured server in one workspace: connected on first use, listed when its list changed, reconnected with a back-off. */
import type { JsonObject } from "../../core/json.ts";
import type { ToolContext, ToolResult } from "../../core/tool.ts";
import type { McpServerEntry } from "./config.ts";
import { openConnection, type Connection, type ListedTool } from "./connection.ts";
import { executeCall } from "./execute.ts";
import { complaintOf } from "./words.ts";

const CALL_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface RemoteOptions {
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly workspace: string;
  readonly startLimitMs: number;
  readonly log: (line: string) => void;
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number;
}

export class Remote {
  readonly #options: RemoteOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<ToolContext>();
  #opening: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #listed: readonly ListedTool[] = [];
  /** Set by the server's notices that its tools changed; they come in bursts, so none of them starts a request. */
  #isStale = true;
  #wasConnected = false;
  #failures = 0;
  #retryAt = 0;
  #problem: string | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Why it is not available, or undefined if nothing is known against it. */
  get problem(): string | undefined {
    return this.#problem ?? this.#connection?.lost();
  }

  /** Whether it has been connected before: then its absence is an incident and not a mistake in the configuration. */
  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  /** Its tools now, connecting if need be; none while it is not available. Must not throw. */
  async tools(): Promise<readonly ListedTool[]> {
    const isLost = this.#connection?.lost() !== undefined || this.#connection === undefined;
    if (isLost && this.#wasConnected && this.#options.now() < this.#retryAt) return [];
    try {
      const connection = isLost ? await this.#open() : this.#connection;
      if (connection !== undefined && this.#isStale) await this.#list(connection);
      return this.#listed;
    } catch (error) {
      this.#problem = complaintOf(error);
      return [];
    }
  }

  /** Must not throw. */
  async execute(tool: string, args: JsonObject, ctx: ToolContext): Promise<ToolResult> {
    const { name, entry } = this.#options;
    const connection = this.#connection;
    if (connection === undefined || connection.lost() !== undefined) {
      const message = `The MCP server "${name}" is not available, so nothing was done: ${this.problem ?? "it is not connected."}`;
      return { errorKind: "tool_unavailable", content: [{ type: "text", text: message }] };
    }
    const timeoutMs = entry.timeoutSeconds === undefined ? CALL_LIMIT_MS : entry.timeoutSeconds * 1000;
    this.#running.add(ctx);
    try {
      return await executeCall({ server: name, tool, connection, timeoutMs }, args, ctx);
    } finally {
      this.#running.delete(ctx);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new DOMException("was closed while it started", "AbortError"));
    await this.#connection?.close();
    await this.#opening?.catch(() => {});
  }

  /** One attempt, shared by all who ask meanwhile. */
  async #open(): Promise<Connection> {
    this.#opening ??= this.#attempt().finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #attempt(): Promise<Connection> {
    const { now, entry } = this.#options;
    try {
      const connection = await openConnection(entry, {
        ...this.#options,
        log: (line) => this.#log(line),
        signal: this.#closing.signal,
        toolsChanged: () => {
          this.#isStale = true;
        },
        asked: (question) => this.#asked(question),
      });
      this.#connection = connection;
      await this.#list(connection);
      this.#wasConnected = true;
      this.#failures = 0;
      this.#problem = undefined;
      return connection;
    } catch (error) {
      this.#retryAt = now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
      this.#failures += 1;
      throw error;
    }
  }

  async #list(connection: Connection): Promise<void> {
    this.#isStale = false;
    try {
      this.#listed = await connection.listTools();
    } catch (error) {
      this.#isStale = true;
      await connection.close(`it did not list its tools: ${complaintOf(error)}.`);
      throw new Error(connection.lost(), { cause: error });
    }
  }

  #asked(question: string): void {
    const notice = `the server asks: ${question} (answered "cancel": MCP servers cannot ask questions here yet)`;
    this.#log(notice);
    for (const ctx of this.#running) ctx.progress(0, undefined, notice);
  }

  /** What a server says when it is being ended tells nobody anything. */
  #log(line: string): void {
    if (this.#closing.signal.aborted) return;
    this.#options.log(`MCP server "${this.#options.name}": ${line}`);
  }
}
