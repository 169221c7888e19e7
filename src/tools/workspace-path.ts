/** Keeps every path of a call inside the workspace: a path means its real target, and one that leads out is refused. */
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "./file-error.ts";
import { ToolRefusal } from "./tool-result.ts";

const MOST_LINKS = 40;

/** A path of a call, resolved. It need not exist. */
export interface Place {
  /** The real path of the workspace. */
  readonly root: string;
  /** The real path below the root with `/`; `.` is the root itself. */
  readonly relative: string;
  readonly absolute: string;
  /** The path as the call named it, normalised: for messages. */
  readonly named: string;
}

/**
 * The normalised text of a path for permission patterns: relative to the workspace if it is inside, else absolute. It is
 * lexical; `workspaces` are the names of one workspace (as given, and its real path).
 */
export function subjectPath(workspaces: readonly string[], path: string): string {
  const home = workspaces[0] ?? sep;
  const absolute = resolve(home, path);
  const workspace = workspaces.find((name) => isInside(name, absolute));
  return workspace === undefined ? absolute : relativePath(workspace, absolute);
}

/** Finds the real place of a path, through all its symbolic links; throws a ToolRefusal if it is not in the workspace. */
export async function locate(workspace: string, path: string): Promise<Place> {
  if (path.includes("\0")) throw new ToolRefusal("The path contains a NUL character, which no file name can have.");
  const root = await realpath(workspace);
  const named = subjectPath([root, resolve(workspace)], path);
  if (isAbsolute(named)) throw outside(path, "is outside the workspace");
  const absolute = await realTarget(join(root, named));
  if (!isInside(root, absolute)) throw outside(path, "leads out of the workspace through a symbolic link");
  return { root, relative: relativePath(root, absolute), absolute, named };
}

/** Whether the path is the folder itself or below it. Both must be normalised. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The real path of what exists and, below the deepest existing folder, the names that do not exist yet. */
async function realTarget(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || links > MOST_LINKS || dirname(path) === path) throw error;
  }
  const parent = await realTarget(dirname(path), links);
  const entry = join(parent, basename(path));
  const target = await linkTarget(entry);
  return target === undefined ? entry : realTarget(resolve(parent, target), links + 1);
}

/** A link to nothing has no real path, but writing to it would make its target. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "EINVAL") return undefined;
    throw error;
  }
}

function relativePath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/") || ".";
}

function outside(path: string, why: string): ToolRefusal {
  return new ToolRefusal(
    `"${path}" ${why}. Only what is inside the workspace can be used: give a path relative to the workspace folder.`,
    "permission_denied",
  );
}
