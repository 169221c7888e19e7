/** What a story may ask for before it begins. */
import type { Limits, Mode } from "../../core/input.ts";
import type { Models } from "../../core/model.ts";
import type { Pipeline } from "../../core/pipeline.ts";
import type { HostedTool } from "../../core/tool.ts";
import type { PipelinePorts } from "../../operations/pipeline.ts";
import type { StopHook } from "../../operations/stop-hook.ts";
import type { McpServerEntry } from "../../tools/mcp/config.ts";
import type { Props } from "./props.ts";

export interface StoryOptions {
  /** The provider whose protocol the fake model speaks; `anthropic` if not said. */
  readonly protocol?: "anthropic" | "openai-compatible";
  /** The model's name at that provider. */
  readonly modelName?: string;
  /** The session's mode; `auto` if not said. */
  readonly mode?: Mode;
  /** 50 model calls a turn if not said. */
  readonly limits?: Limits;
  /** Offers the calculator as the MCP server `calculator`, with its annotations believed or not. */
  readonly calculator?: "trusted" | "untrusted";
  /** More MCP servers, by name. */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** Files of the workspace, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the person's home folder, by relative path: skills are in `.dacapo/skills/NAME/SKILL.md`. */
  readonly home?: Readonly<Record<string, string>>;
  /** Hand-made tools beside the built-in ones; made anew for every process. */
  readonly tools?: (props: Props) => readonly HostedTool[];
  /** Made anew for every process. */
  readonly stopHooks?: (props: Props) => readonly StopHook[];
  /** In place of the fake model; made anew for every process. */
  readonly models?: () => Models;
  /** In place of the standard pipeline; made anew for every process. */
  readonly pipeline?: (ports: PipelinePorts) => Pipeline;
  /** Beside the provider's key: what is named like a secret must never be stored or shown. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The story is about something broken: runs may end with an error of the engine. */
  readonly isBroken?: boolean;
  /** At how many commits a long story is cut in `killed`; 6 if not said, 0 for none. */
  readonly cuts?: number;
}
