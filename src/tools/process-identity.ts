/** Names a process beyond its pid, which the operating system gives to another one later. */
import { readProcess } from "./process-table.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** As `processStartedAt` told it. */
  readonly startedAt: string;
}

/** When the process started, in the words of the operating system (Linux: clock ticks since boot), or undefined if it does not run. */
export function processStartedAt(pid: number): string | undefined {
  return readProcess(pid)?.startedAt;
}

/** Whether this very process still runs; one that ended and was not collected yet does not. */
export function isProcessRunning(identity: ProcessIdentity): boolean {
  return processStartedAt(identity.pid) === identity.startedAt;
}
