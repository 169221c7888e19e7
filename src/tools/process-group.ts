/** Ends a process with everything it started; on POSIX its group, which it must lead. */

const live = new Map<number, () => void>();

/** Marks the group to be killed if this process ends before `ended` is called; `kill` may reach further than the group. */
export function watchGroup(pid: number, kill = () => killGroup(pid, "SIGKILL")): { ended(): void } {
  if (live.size === 0) process.on("exit", killAll);
  live.set(pid, kill);
  return {
    ended() {
      live.delete(pid);
      if (live.size === 0) process.off("exit", killAll);
    },
  };
}

function killAll(): void {
  for (const kill of live.values()) kill();
}

export function killGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // Gone already, which is what was wanted.
  }
}
