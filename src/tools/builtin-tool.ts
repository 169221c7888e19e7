/** The one door of every built-in tool: its input is a zod schema written once, and what its model causes never throws. */
import { z } from "zod";
import { JsonObject } from "../core/json.ts";
import type { HostedTool, ToolContext, ToolDeclaration, ToolResult } from "../core/tool.ts";
import { fileErrorText } from "./file-error.ts";
import { schemaCheck } from "./schema-check.ts";
import { failedResult, ToolRefusal } from "./tool-result.ts";

export interface BuiltinTool<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly declaration: ToolDeclaration;
  subject(args: JsonObject): string | undefined;
  /** May throw a ToolRefusal, a system error about the path of the call, or the reason of the abort. */
  run(input: z.output<Schema>, ctx: ToolContext): Promise<ToolResult>;
}

export function builtinTool<Schema extends z.ZodObject>(tool: BuiltinTool<Schema>): HostedTool {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input);
  const inputSchema = JsonObject.parse(schema);
  return {
    spec: { name: tool.name, description: tool.description, inputSchema },
    declaration: tool.declaration,
    check: schemaCheck(inputSchema, (args) => tool.subject(args)),
    async execute(args, ctx) {
      const input = tool.input.safeParse(args);
      if (!input.success) return failedResult("tool_schema", z.prettifyError(input.error));
      try {
        ctx.signal.throwIfAborted();
        return await tool.run(input.data, ctx);
      } catch (error) {
        return answerTo(error, args, ctx.signal);
      }
    },
  };
}

function answerTo(error: unknown, args: JsonObject, signal: AbortSignal): ToolResult {
  if (error instanceof ToolRefusal) return failedResult(error.kind, error.message);
  if (signal.aborted) return failedResult("tool_failed", "[cancelled before it was done]");
  const words = fileErrorText(error, typeof args["path"] === "string" ? args["path"] : ".");
  if (words === undefined) throw error;
  return failedResult("tool_failed", words);
}
