/**
 * The stdio transport of MCP with the server in a process group of its own: the SDK's transport leaves what the server
 * started alive and takes two seconds to close a server that ignores the end of its input.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadBuffer } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { wellFormed } from "../../core/json.ts";
import { killGroup, watchGroup } from "../process-group.ts";
import type { Sdk } from "./sdk.ts";

const GRACE_AFTER_INPUT_ENDS_MS = 150;
const GRACE_AFTER_SIGTERM_MS = 350;
const DRAIN_MS = 200;
const KEPT_STDERR = 4_096;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Each piece of the server's stderr. */
  readonly onStderr: (text: string) => void;
}

/** What every program needs to run and none of the keys and tokens that this process has. */
const INHERITED =
  process.platform === "win32"
    ? [
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
      ].concat(["COMSPEC", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"])
    : ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

export function safeEnvironment(): Record<string, string> {
  const found = INHERITED.flatMap((name): [string, string][] => {
    const value = process.env[name];
    // A value that starts so is an exported shell function.
    return value === undefined || value.startsWith("()") ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

export class StdioTransport implements Transport {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  readonly #command: ServerCommand;
  readonly #sdk: Sdk;
  readonly #input: ReadBuffer;
  readonly #gone: Promise<void>;
  #resolveGone: () => void = () => {};
  #child: ChildProcessWithoutNullStreams | undefined;
  #stderr = "";
  #end: string | undefined;
  #isClosing = false;

  constructor(sdk: Sdk, command: ServerCommand) {
    this.#sdk = sdk;
    this.#command = command;
    this.#input = new sdk.ReadBuffer();
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
  }

  /** How the process ended, if it did so by itself. */
  get end(): string | undefined {
    return this.#end;
  }

  /** The last lines that the server wrote to stderr. */
  get stderr(): string {
    return wellFormed(this.#stderr).trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    const child = spawn(command, args, { cwd, env, detached: process.platform !== "win32", windowsHide: true });
    child.on("error", (error) => this.onerror?.(error));
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("error", (error) => this.onerror?.(error)).on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR);
      this.#command.onStderr(text);
    });
    await once(child, "spawn");
    this.#child = child;
    const watched = watchGroup(child.pid as number);
    child.once("exit", (code, signal) => {
      if (!this.#isClosing) this.#end ??= code === null ? `was ended by ${signal}` : `exited with code ${code}`;
      void this.#finish(child).finally(() => watched.ended());
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child || this.#isClosing || this.#end !== undefined) throw new Error("the server is not running");
    const error = await new Promise<Error | null | undefined>((resolve) => {
      child.stdin.write(this.#sdk.serializeMessage(message), resolve);
    });
    if (!error) return;
    // A broken pipe is seen before the end of the process, which is what there is to tell.
    await this.#goneWithin(GRACE_AFTER_INPUT_ENDS_MS);
    throw error;
  }

  /** Resolves when no process of the group is left; takes half a second at most. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#isClosing = true;
    child.stdin.end();
    const pid = child.pid as number;
    if (await this.#goneWithin(GRACE_AFTER_INPUT_ENDS_MS)) return;
    killGroup(pid, "SIGTERM");
    if (await this.#goneWithin(GRACE_AFTER_SIGTERM_MS)) return;
    killGroup(pid, "SIGKILL");
    await this.#gone;
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const waited = sleep(ms, false, { signal: timer.signal }).catch(() => false);
    try {
      return await Promise.race([this.#gone.then(() => true), waited]);
    } finally {
      timer.abort();
    }
  }

  /** What the server started and left behind ends with it; an answer still in the pipe is read first. */
  async #finish(child: ChildProcessWithoutNullStreams): Promise<void> {
    killGroup(child.pid as number, "SIGKILL");
    const timer = new AbortController();
    const drained = once(child, "close", { signal: timer.signal });
    const waited = sleep(DRAIN_MS, undefined, { signal: timer.signal });
    await Promise.race([drained, waited]).finally(() => timer.abort());
    await Promise.allSettled([drained, waited]);
    child.stdout.destroy();
    child.stderr.destroy();
    this.#input.clear();
    this.#resolveGone();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    try {
      this.#input.append(chunk);
    } catch (error) {
      this.#end ??= `sent a message that is too long (${String(error)})`;
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#input.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is not a message (a greeting, a stray print) is passed by.
        this.onerror?.(error as Error);
      }
    }
  }
}
