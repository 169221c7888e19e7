/** Says what SQLite's errors mean: which file, what is wrong and what to do next. */
import { BatchError, FencedError, InputError, StoreError, UsageError, wordsOf } from "../../core/error.ts";
import { InvariantError } from "../../core/invariant.ts";

const OURS = [StoreError, UsageError, InputError, FencedError, BatchError, InvariantError];

/** Another connection is writing: worth another try. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));
}

/** The error to throw in place of one that came out of SQLite or of the file system; ours, and bugs, are left as they are. */
export function storeFailure(path: string, error: unknown): Error {
  if (OURS.some((known) => error instanceof known)) return error as Error;
  const code = codeOf(error);
  const said = wordsOf(error);
  const problem = code === "" ? closedProblem(said) : PROBLEMS.find(([codes]) => codes.test(code))?.[1];
  if (problem === undefined && !code.startsWith("SQLITE_")) return error instanceof Error ? error : new Error(said);
  return new StoreError(`${path} ${problem ?? "could not be used"} (${code || "closed"}: ${said})`, { cause: error });
}

const PROBLEMS: readonly (readonly [codes: RegExp, problem: string])[] = [
  [/^SQLITE_(?:BUSY|LOCKED)/, "is locked by another program: end that program, or try again when it has finished"],
  [
    /^(?:SQLITE_FULL|ENOSPC|EDQUOT)/,
    "is on a disk that is full: nothing of this change was written; make room and run again",
  ],
  [
    /^(?:SQLITE_READONLY|SQLITE_PERM|EROFS|EACCES|EPERM)/,
    "or its folder cannot be written: nothing was changed; give write permission, or choose another file",
  ],
  [/^SQLITE_NOTADB/, "is not a dacapo database, or is damaged: choose another file, or restore a copy"],
  [
    /^SQLITE_CORRUPT/,
    'is damaged: keep a copy of it, then restore a backup or rescue what is left with "sqlite3 FILE .recover"',
  ],
  [
    /^(?:SQLITE_CANTOPEN|EISDIR|ENOTDIR|ENOENT|EEXIST|ENAMETOOLONG|ELOOP)/,
    "cannot be opened: choose the path of a file",
  ],
  [/^SQLITE_CONSTRAINT/, "holds rows that contradict its journal: nothing was written; verify the session"],
  [/^SQLITE_IOERR/, "could not be read or written: check the disk; nothing of this change was kept"],
];

function closedProblem(said: string): string | undefined {
  return said === "The database connection is not open" ? "was closed by this process" : undefined;
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
