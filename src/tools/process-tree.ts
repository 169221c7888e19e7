/**
 * Ends the processes of a call, also those that left its process group or lost their parent. Only one that did both, left the
 * session too and cleared its environment has nothing by which to find it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { CALL_MARKER } from "./command-environment.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { hasVariable, listProcesses, type ProcessRow } from "./process-table.ts";

const GRACE_MS = 500;
const LOOK_AGAIN_MS = 20;
const MOST_KILL_ROUNDS = 50;

/** The first process of a call, which leads its own process group. Without the call, what lost its parent and left the group is not found. */
export interface ProcessTree extends ProcessIdentity {
  readonly callId?: string;
}

/**
 * SIGTERM to every process of the tree, then, after 500 ms, SIGKILL to those that are left and to what they started
 * meanwhile. `found` is how many there were, `left` how many would not go (a process stuck in the kernel, or of another user).
 * Safe after the first process has ended and when its pid was given to another one. Never signals this process.
 */
export async function killProcessTree(tree: ProcessTree): Promise<{ readonly found: number; readonly left: number }> {
  let members = membersOf(tree);
  const found = members.length;
  signalAll(members, "SIGTERM");
  for (let waited = 0; members.length > 0 && waited < GRACE_MS; waited += LOOK_AGAIN_MS) {
    // The system tells only parents when a process ends, and these are not our children.
    await delay(LOOK_AGAIN_MS);
    members = membersOf(tree);
  }
  for (let round = 0; members.length > 0 && round < MOST_KILL_ROUNDS; round += 1) {
    signalAll(members, "SIGKILL");
    await delay(LOOK_AGAIN_MS);
    members = membersOf(tree);
  }
  return { found, left: members.length };
}

/** For a process that ends now and cannot wait: SIGKILL at once, and again to what was started while it was sent. */
export function killProcessTreeNow(tree: ProcessTree): void {
  signalAll(membersOf(tree), "SIGKILL");
  signalAll(membersOf(tree), "SIGKILL");
}

/** The processes that run now and belong to the tree: by group, by session, by marker, and all that descend from those. */
function membersOf(tree: ProcessTree): readonly ProcessRow[] {
  const rows = listProcesses().filter((row) => row.pid !== process.pid);
  const holder = rows.find((row) => row.pid === tree.pid);
  const isPidReused = holder !== undefined && holder.startedAt !== tree.startedAt;
  const members = new Set<ProcessRow>();
  for (const row of rows) {
    const isOfGroup = !isPidReused && [row.pid, row.group, row.session].includes(tree.pid);
    if (isOfGroup || hasMarker(row, tree)) members.add(row);
  }
  addDescendants(rows, members);
  return [...members];
}

/** Reading environments is the dear part, so only of processes that are not older than the call. */
function hasMarker(row: ProcessRow, tree: ProcessTree): boolean {
  if (tree.callId === undefined || Number(row.startedAt) < Number(tree.startedAt)) return false;
  return hasVariable(row.pid, CALL_MARKER, `${tree.callId}.${tree.pid}`);
}

function addDescendants(rows: readonly ProcessRow[], members: Set<ProcessRow>): void {
  const children = groupByParent(rows);
  // A set visits what is added to it while it is walked.
  for (const member of members) for (const child of children.get(member.pid) ?? []) members.add(child);
}

function signalAll(members: readonly ProcessRow[], signal: NodeJS.Signals): void {
  for (const { pid } of members) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone meanwhile, or of another user: the next look tells.
    }
  }
}

function groupByParent(rows: readonly ProcessRow[]): ReadonlyMap<number, readonly ProcessRow[]> {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  return children;
}
