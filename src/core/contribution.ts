/** Contributions: what operations add to a model request. */
import type { Tool, ToolSpec } from "./tool.ts";

/** One operation's share. `attention` are short reminders for the next request alone, never part of the system prompt. */
export interface Contribution {
  readonly tools?: readonly Tool[];
  readonly prompt?: string;
  readonly attention?: string;
}

export interface OwnedTool {
  readonly owner: string;
  readonly tool: Tool;
}

/** What all operations contributed, in the order of the pipeline. Equal tool sets are the same array. */
export interface Contributions {
  readonly tools: ReadonlyMap<string, OwnedTool>;
  readonly specs: readonly ToolSpec[];
  readonly system: string;
  readonly attention: readonly string[];
}
