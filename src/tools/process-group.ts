/** Ends a process with everything it started; on POSIX its group, which it must lead. */

const live = new Set<number>();

/** Marks the group to be killed if this process ends before `ended` is called. */
export function watchGroup(pid: number): { ended(): void } {
  if (live.size === 0) process.on("exit", killAll);
  live.add(pid);
  return {
    ended() {
      live.delete(pid);
      if (live.size === 0) process.off("exit", killAll);
    },
  };
}

function killAll(): void {
  for (const pid of live) killGroup(pid, "SIGKILL");
}

export function killGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // Gone already, which is what was wanted.
  }
}
