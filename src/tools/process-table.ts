/** What the operating system says of its processes: from /proc on Linux, from ps elsewhere. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The session (setsid) that it belongs to; the same as the group where it is not known. */
  readonly session: number;
  /** When it started, as the system counts: with the pid it names one process for as long as the machine is up. */
  readonly startedAt: string;
}

const isLinux = process.platform === "linux";

/** One process, or undefined if it is gone or has ended and only waits to be collected. */
export function readProcess(pid: number): ProcessRow | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return isLinux ? procRow(pid) : psRows(["-p", String(pid)])[0];
}

/** All processes that have not ended. */
export function listProcesses(): readonly ProcessRow[] {
  return isLinux ? pidsInProc().flatMap((pid) => procRow(pid) ?? []) : psRows(["-ax"]);
}

/** Whether the process was started with this variable in its environment. Known on Linux only; false for one of another user. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  const environ = isLinux ? procFile(pid, "environ") : undefined;
  const wanted = Buffer.from(`\0${name}=${value}\0`).toString("latin1");
  return environ !== undefined && `\0${environ}`.includes(wanted);
}

function pidsInProc(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** proc(5): the command is in parentheses and may hold any character; after it come state, ppid, pgrp, session, … starttime (22nd). */
function procRow(pid: number): ProcessRow | undefined {
  const stat = procFile(pid, "stat");
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const startedAt = fields[19];
  if (state === undefined || startedAt === undefined || "ZXx".includes(state)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt };
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    // Gone meanwhile, or of another user.
    return undefined;
  }
}

function psRows(selection: readonly string[]): ProcessRow[] {
  let table: string;
  try {
    const columns = ["pid=", "ppid=", "pgid=", "state=", "lstart="].flatMap((column) => ["-o", column]);
    const environment = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    table = execFileSync("ps", [...selection, ...columns], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return [];
  }
  return table.split("\n").flatMap(psRow);
}

function psRow(line: string): ProcessRow[] {
  const [, pid, parent, group, state, startedAt] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  if (startedAt === undefined || state?.startsWith("Z") === true) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), startedAt }];
}
