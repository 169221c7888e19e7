/** What the operating system says of a file, in words that a model can act on. */

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not a folder, or a part of its path is not one",
  EISDIR: "is a folder",
  EACCES: "may not be accessed with the permissions of this process",
  EPERM: "may not be changed with the permissions of this process",
  EROFS: "is on a read-only file system",
  ENAMETOOLONG: "has a name or path that is too long for the file system",
  ELOOP: "goes through too many symbolic links, or through one that was put there just now",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the disk quota is used up",
  EMFILE: "cannot be opened now: too many files are open",
  ENXIO: "is a socket or a device",
};

/** The sentence for a system error about `path`, or undefined if the error is not one. */
export function fileErrorText(error: unknown, path: string): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  return `"${path}" ${WORDS[code] ?? `cannot be used (${code})`}.`;
}

/** The code of a system error (`ENOENT`, …), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
