/** The port to the processes that calls have started: a call may end while what it started lives on. */
import type { CallProcess } from "../core/call.ts";
import type { CallId } from "../core/ids.ts";

export interface ProcessTable {
  /** Whether this very process still runs on this machine. */
  isRunning(process: CallProcess): boolean;
  /** Ends it and all that it started for the call. False if something would not go. Must not throw. */
  end(process: CallProcess, callId: CallId): Promise<boolean>;
}

/** The words for a process that outlived the one that ran its call, with the offer to end it. */
export function stillRuns({ pid }: CallProcess): string {
  return `What it started still runs as process ${pid}; \`kill -- -${pid}\` ends it.`;
}
