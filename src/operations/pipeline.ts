/** The standard pipeline: the order is the priority, and this file is where it is decided. */
import type { Models } from "../core/model.ts";
import { createPipeline } from "../core/pipeline.ts";
import type { Pipeline } from "../core/pipeline.ts";
import type { Artifacts } from "../core/store.ts";
import type { ToolHost } from "../core/tool.ts";
import { admit } from "./admit.ts";
import { approval } from "./approval.ts";
import { command } from "./command.ts";
import { emptyReply } from "./empty-reply.ts";
import { inference } from "./inference.ts";
import { intake } from "./intake.ts";
import { interrupt } from "./interrupt.ts";
import { maxTurns } from "./max-turns.ts";
import type { ProcessTable } from "./process-table.ts";
import { recover } from "./recover.ts";

import { retry } from "./retry.ts";
import { settle } from "./settle.ts";
import { skills } from "./skills.ts";
import type { SkillLibrary } from "./skills.ts";
import { stopHook } from "./stop-hook.ts";
import type { StopHook } from "./stop-hook.ts";
import { toolExec } from "./tool-exec.ts";
import { unknownTool } from "./unknown-tool.ts";

/** What the operations reach the outside through; everything else they need is in the session. */
export interface PipelinePorts {
  readonly models: Models;
  /** What every model is told first. */
  readonly instructions: string;
  readonly tools: ToolHost;
  readonly artifacts: Artifacts;
  readonly processes: ProcessTable;
  readonly skills: SkillLibrary;
  readonly stopHooks: readonly StopHook[];
}

export function standardPipeline(ports: PipelinePorts): Pipeline {
  return createPipeline([
    interrupt(ports.processes),
    recover(ports.processes),
    intake(),
    command(),
    admit(),
    approval(),
    skills(ports.skills),
    toolExec(ports.tools, ports.artifacts),
    unknownTool(),
    retry(),
    maxTurns(),
    inference(ports.models, ports.instructions),
    emptyReply(),
    stopHook(ports.stopHooks),
    settle(),
  ]);
}
