/** Recognises what exits 2: the person's mistake, told before anything was written. */
import type { CommanderError } from "commander";

/** By name, because each of them is known to a module that is loaded only when it is needed. */
export function isBadUsage(error: unknown): error is Error {
  return error instanceof Error && (error.name === "UsageError" || error.name === "InputError");
}

export function isParsingError(error: unknown): error is CommanderError {
  return (
    error instanceof Error && "exitCode" in error && "code" in error && String(error.code).startsWith("commander.")
  );
}

/** What the system says, in whatever is the first to ask, once the folder that this was started in is gone. */
export function isFolderGone(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
}
