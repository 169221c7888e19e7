/** How the built-in tools answer: a text, or a refusal in words with the kind that recovery looks at. */
import { wellFormed } from "../core/json.ts";
import type { ToolResult } from "../core/tool.ts";

export type FailureKind = NonNullable<ToolResult["errorKind"]>;

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text: wellFormed(text) }] };
}

export function failedResult(errorKind: FailureKind, text: string): ToolResult {
  return { ...textResult(text), errorKind };
}

/** Ends a built-in tool with an answer to the model. Thrown only inside this folder; `builtinTool` makes it a result. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  readonly kind: FailureKind;
  constructor(message: string, kind: FailureKind = "tool_failed") {
    super(message);
    this.kind = kind;
  }
}
