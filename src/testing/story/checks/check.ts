/** What a standing check is given, and what it gives back. */
import type { Entry } from "../../../core/entry.ts";
import type { SessionId } from "../../../core/ids.ts";
import type { Pipeline } from "../../../core/pipeline.ts";
import type { Session } from "../../../core/session.ts";
import type { Damage } from "../../../core/store.ts";
import type { ProcessRecord } from "../process.ts";

/** What a story left behind. */
export interface Evidence {
  /** As a process that has never seen it reads the session. */
  readonly session: Session;
  /** As the last process of the story knows it. */
  readonly warm: Session;
  readonly entries: readonly Entry[];
  readonly processes: readonly ProcessRecord[];
  readonly pipeline: Pipeline;
  readonly damages: readonly Damage[];
  /** The session's export, and that of what was imported from it. */
  readonly exported: readonly string[];
  readonly again: { readonly id: SessionId; readonly lines: readonly string[] };
  /** The story is about something broken: errors of the engine are what it expects. */
  readonly isBroken: boolean;
  /** Values that must be nowhere, by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** One sentence for each thing that is wrong; empty if all is well. */
export type Check = (evidence: Evidence) => readonly string[];
