/** The two ways to a server, stdio and Streamable HTTP, and what each can say when it fails. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpServerEntry } from "./config.ts";
import type { Sdk } from "./sdk.ts";
import { complaintOf } from "./words.ts";
import { safeEnvironment, StdioTransport } from "./stdio.ts";

const LONGEST_COMMAND = 200;
const SHOWN_STDERR_LINES = 8;
const GRACE_FOR_GOODBYE_MS = 300;

export interface Link {
  readonly transport: Transport;
  /** Whether the transport closes by itself when the server is gone; if not, only a request finds out. */
  readonly tellsWhenGone: boolean;
  /** Sentences on what went wrong, with what the server itself said of it, and the next move. */
  diagnose(error: unknown): string;
  /** Resolves when nothing of it is left. Must not throw. */
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly workspace: string;
  readonly log: (line: string) => void;
}

export function createLink(sdk: Sdk, entry: McpServerEntry, options: LinkOptions): Link {
  return entry.url === undefined ? stdioLink(sdk, entry, options) : httpLink(sdk, entry, entry.url);
}

function stdioLink(sdk: Sdk, entry: McpServerEntry, { workspace, log }: LinkOptions): Link {
  const { command = "", args = [], cwd = workspace } = entry;
  const transport = new StdioTransport(sdk, {
    command,
    args,
    cwd,
    env: { ...safeEnvironment(), ...entry.env },
    onStderr: (text) => log(`stderr: ${text.trimEnd()}`),
  });
  const line = [command, ...args].join(" ");
  const shownLine = line.length > LONGEST_COMMAND ? `${line.slice(0, LONGEST_COMMAND)}…` : line;
  return {
    transport,
    tellsWhenGone: true,
    diagnose: (error) => {
      if (!existsSync(cwd)) return `its folder ${cwd} does not exist. Create it or correct "cwd".`;
      if (isMissing(error)) return `the command ${command} was not found. Install it or correct "command".`;
      const last = transport.stderr.split("\n").slice(-SHOWN_STDERR_LINES).join("\n  ");
      const said = last === "" ? "It wrote nothing to stderr." : `The last lines of its stderr:\n  ${last}\n`;
      const what = transport.end ?? textOf(error);
      return `it ${what} (command: ${shownLine}). ${said} Run the command by itself to see why, or correct it in the configuration.`;
    },
    close: () => transport.close(),
  };
}

function httpLink(sdk: Sdk, entry: McpServerEntry, url: string): Link {
  const address = new URL(url);
  const transport = new sdk.StreamableHTTPClientTransport(address, { requestInit: { headers: { ...entry.headers } } });
  return {
    transport,
    tellsWhenGone: false,
    diagnose: (error) => {
      const status = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
      const next =
        status === 401 || status === 403
          ? 'Check the "headers" that carry its token.'
          : "Check that the server runs and that the address is that of its Streamable HTTP endpoint.";
      return `it ${textOf(error)} (at ${address.origin}${address.pathname}). ${next}`;
    },
    close: async () => {
      const goodbye = transport.terminateSession().catch(() => {});
      await Promise.race([goodbye, sleep(GRACE_FOR_GOODBYE_MS, undefined, { ref: false })]);
      await transport.close().catch(() => {});
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The reason with its causes, because fetch keeps what matters there. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `failed: ${String(error)}`;
  if (error.name === "AbortError") return error.message;
  if (error.name === "TimeoutError") return "did not answer in time";
  const reasons = [complaintOf(error)];
  for (let cause = error.cause; cause instanceof Error && reasons.length < 4; cause = cause.cause) {
    reasons.push(cause.message === "" && "code" in cause ? String(cause.code) : cause.message);
  }
  return `failed: ${reasons.filter((reason) => reason !== "").join(": ")}`;
}
