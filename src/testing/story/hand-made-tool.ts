/** A tool made by hand, for what the calculator does not do. */
import type { JsonObject } from "../../core/json.ts";
import type { HostedTool, ToolContext, ToolDeclaration, ToolResult } from "../../core/tool.ts";
import { schemaCheck } from "../../tools/schema-check.ts";

export interface HandMadeTool extends Partial<ToolDeclaration> {
  readonly name: string;
  /** A JSON Schema of type object; without one, any arguments will do. */
  readonly inputSchema?: JsonObject;
  /** A text alone is a success. */
  run(args: JsonObject, ctx: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

/** It says of itself that it may do anything, unless it is told otherwise. */
export function handMadeTool(made: HandMadeTool): HostedTool {
  const { name, inputSchema = { type: "object" }, readOnly = false, idempotent = false, touches = ["*"] } = made;
  return {
    spec: { name, description: `${name}, made by hand.`, inputSchema },
    declaration: { readOnly, idempotent, touches },
    check: schemaCheck(inputSchema),
    async execute(args, ctx) {
      const result = await made.run(args, ctx);
      return typeof result === "string" ? { content: [{ type: "text", text: result }] } : result;
    },
  };
}
