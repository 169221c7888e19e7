/** The flags of `dacapo run`, as they come from the command line. */
import type { Mode } from "../core/input.ts";
import type { AppFlags } from "./open-app.ts";
import type { OutputFormat } from "./output.ts";

export interface RunFlags extends AppFlags {
  readonly session?: string;
  readonly continue?: boolean;
  readonly model?: string;
  readonly mode?: Mode;
  readonly maxTurns?: number;
  readonly title?: string;
  readonly cwd?: string;
  readonly output: OutputFormat;
  readonly wait: boolean;
}
