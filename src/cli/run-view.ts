/** What a run shows while it goes on and when it ends: one shape, with a view for each output format. */
import type { Entry } from "../core/entry.ts";
import type { LiveEvent } from "../core/event.ts";
import type { Session } from "../core/session.ts";
import type { Report } from "../report.ts";
import type { AnyOutcome } from "./render-outcome.ts";

/** A report, or what stands for one where another process holds the session. */
export type Ending = Omit<Report, "outcome"> & { readonly outcome: AnyOutcome };

export interface RunView {
  readonly start: (session: Session) => void;
  readonly entry: (entry: Entry) => void;
  readonly event: (event: LiveEvent) => void;
  /** Once, at the end; `goOn` are the lines with which a person goes on. */
  readonly end: (ending: Ending, goOn: readonly string[]) => void;
}
