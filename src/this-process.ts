/** Who this process is as the owner of a lease, and whether another owner still runs. */
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { LeaseOwner } from "./core/store.ts";
import { randomId } from "./system.ts";
import { isProcessRunning, processStartedAt } from "./tools/process-identity.ts";

let self: LeaseOwner | undefined;

export function thisProcess(): LeaseOwner {
  self ??= {
    id: randomId(),
    host: hostname(),
    pidNamespace: pidNamespace(),
    pid: process.pid,
    processStart: processStartedAt(process.pid) ?? "",
  };
  return self;
}

/** Linux numbers processes per namespace (a container has its own); elsewhere there is one. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Whether an owner on this very host runs no more; of another host nothing is known. */
export function isGone(owner: LeaseOwner): boolean {
  if (owner.host !== hostname() || owner.pidNamespace !== pidNamespace()) return false;
  return !isProcessRunning({ pid: owner.pid, startedAt: owner.processStart });
}
