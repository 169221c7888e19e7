/** Opens files by walking from the workspace one folder at a time, so that no link put in the way meanwhile is followed. */
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, type FileHandle } from "node:fs/promises";
import { join, posix } from "node:path";
import { errorCode } from "./file-error.ts";
import { ToolRefusal } from "./tool-result.ts";
import type { Place } from "./workspace-path.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** An open folder. `at` is a path to an entry of this very folder, wherever the folder was moved since. */
export interface OpenFolder {
  readonly path: string;
  at(name: string): string;
  /** Makes names that were added or replaced durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a folder below the root by its real relative path; `create` makes the folders that are missing. */
export async function openFolder(root: string, relative: string, create = false): Promise<OpenFolder> {
  let folder = await opened(root);
  for (const name of relative.split("/")) {
    if (name === ".") continue;
    try {
      if (create) await mkdir(folder.at(name)).catch(unlessItExists);
      const deeper = await opened(folder.at(name));
      await folder.close();
      folder = deeper;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }
  return folder;
}

/** Opens a regular file for reading; anything else (folder, device, socket, pipe) is refused in words. */
export async function openFile(place: Place): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  if (place.relative === ".") throw folderRefusal(place);
  const folder = await openFolder(place.root, posix.dirname(place.relative));
  try {
    const path = folder.at(posix.basename(place.relative));
    refuseUnlessFile(await lstat(path), place);
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await handle.stat();
      refuseUnlessFile(stats, place);
      return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } finally {
    await folder.close();
  }
}

/** Throws a ToolRefusal that says what the place is, if it is not a regular file. */
export function refuseUnlessFile(stats: Stats, place: Place): void {
  if (stats.isFile()) return;
  if (place.relative === ".") throw folderRefusal(place);
  if (stats.isDirectory()) throw folderRefusal(place);
  throw new ToolRefusal(`"${place.named}" is ${kindOf(stats)}, not a regular file, so it is not opened.`);
}

function folderRefusal(place: Place): ToolRefusal {
  return new ToolRefusal(`"${place.named}" is a folder. Use list to see what is in it.`);
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

async function opened(path: string): Promise<OpenFolder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  // Linux resolves this name to the open folder itself; elsewhere there is only the path.
  const base = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path;
  return {
    path: base,
    at: (name) => join(base, name),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

function unlessItExists(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}
