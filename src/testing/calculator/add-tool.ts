/** How the calculator's tools are written: what a tool is, and the few answers that many give. */
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export const CHANGES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const READS = { readOnlyHint: true, openWorldHint: false };

export const say = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
export const sayError = (text: string): CallToolResult => ({ ...say(text), isError: true });

/** Registers a tool whose calls are recorded before they do anything. */
export type AddTool = <Shape extends z.ZodRawShape>(
  tool: {
    readonly name: string;
    readonly description: string;
    readonly input: Shape;
    readonly annotations: typeof CHANGES | typeof READS;
    readonly output?: z.ZodRawShape;
  },
  run: (args: z.infer<z.ZodObject<Shape>>, extra: Extra) => CallToolResult | Promise<CallToolResult>,
) => void;
