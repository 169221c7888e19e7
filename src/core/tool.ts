/** The port of tools: what a tool says of itself, how its arguments are checked and how it is run. */
import { z } from "zod";
import type { ErrorKind } from "./error.ts";
import type { ArtifactId, CallId } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import type { ResultContent } from "./part.ts";

/** What the model is told of a tool. `inputSchema` is a JSON Schema of type object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/**
 * What a tool says of itself, stored with each call when the model requests it, so that approval, scheduling and recovery
 * need no live tool. `readOnly`: it changes nothing. `idempotent`: running it again with the same arguments does no more.
 * `touches` names what it reads or changes: `workspace`, `server:NAME`, … ; `*` means anything; two calls overlap in time
 * only if both are read-only or they touch nothing in common.
 */
export const ToolDeclaration = z
  .object({ readOnly: z.boolean(), idempotent: z.boolean(), touches: z.array(z.string()).readonly() })
  .readonly();
export type ToolDeclaration = z.infer<typeof ToolDeclaration>;

/** `subject` is the text a permission pattern is matched against (a command, a path); absent where the tool has none. */
export type CheckedArgs =
  | { readonly ok: true; readonly args: JsonObject; readonly subject?: string }
  | { readonly ok: false; readonly problem: string };

/** A tool that can be advertised: its arguments are coerced and validated by `check`, which is pure and never throws. */
export interface Tool {
  readonly spec: ToolSpec;
  readonly declaration: ToolDeclaration;
  /** The MCP server that it comes from. */
  readonly server?: string;
  check(args: JsonObject): CheckedArgs;
}

/** What a tool returns. Empty content is a result too. */
export interface ToolResult {
  readonly content: readonly ResultContent[];
  /** Absent on success. */
  readonly errorKind?: Extract<
    ErrorKind,
    "tool_timeout" | "tool_failed" | "tool_unavailable" | "tool_schema" | "permission_denied"
  >;
  /** Artifacts that the tool's collectors wrote. */
  readonly artifacts?: readonly ArtifactId[];
}

/** Collects long output: keeps head and tail in memory and spills the whole into an artifact beyond 64 KB. */
export interface OutputCollector {
  /** Also shown live to whoever watches. */
  write(text: string): void;
  /** The text for the model: whole, or head and tail with the size and how to read more. */
  finish(): { readonly text: string; readonly artifact?: ArtifactId };
}

/** What a running tool is given. */
export interface ToolContext {
  readonly callId: CallId;
  /** Same for every attempt of one call. */
  readonly idempotencyKey: string;
  /** Absolute path of the session's folder. */
  readonly workspace: string;
  /** Aborted on cancel: stop, end what was started, return what there is. */
  readonly signal: AbortSignal;
  collector(): OutputCollector;
  /** Shown live, never stored. `total` may be unknown. */
  progress(done: number, total?: number, message?: string): void;
  /** Says which process runs the call (`startedAt` as the operating system tells it), so that a later owner can find it; committed before it resolves. */
  spawned(process: { readonly pid: number; readonly startedAt: string }): Promise<void>;
  /** A piece of an artifact of this session, or undefined if there is none; offset and limit count UTF-16 units. */
  readArtifact(id: string, offset: number, limit: number): { readonly text: string; readonly size: number } | undefined;
}

/** A tool that a host runs. `execute` must not throw for what the model or its user can cause; a throw is reported as `tool_failed`. */
export interface HostedTool extends Tool {
  execute(args: JsonObject, ctx: ToolContext): Promise<ToolResult>;
}

/** Gives the tools that can be called now; a server that is down simply has none. */
export interface ToolHost {
  tools(workspace: string): Promise<readonly HostedTool[]>;
}
