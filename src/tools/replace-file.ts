/** Replaces the content of a file in one moment, so that a reader or a crash sees the old file or the new one. */
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { posix } from "node:path";
import { errorCode } from "./file-error.ts";
import { openFolder, refuseUnlessFile } from "./open-folder.ts";
import { ToolRefusal } from "./tool-result.ts";
import type { Place } from "./workspace-path.ts";

/**
 * Writes the file beside its place and renames it there; missing folders are made, mode and owner are kept. With `expected`
 * (what the file was when it was read) a file that has changed since is left alone and a ToolRefusal says so.
 */
export async function replaceFile(place: Place, data: Uint8Array, expected?: Stats): Promise<"created" | "replaced"> {
  refuseGitInternals(place);
  const folder = await openFolder(place.root, posix.dirname(place.relative), expected === undefined);
  const target = folder.at(posix.basename(place.relative));
  const temporary = folder.at(`.dacapo-${randomBytes(6).toString("hex")}.tmp`);
  try {
    const before = await existing(target, place);
    await writeNew(temporary, data, before);
    if (expected !== undefined) refuseIfChanged(expected, await existing(target, place), place);
    await rename(temporary, target);
    await folder.sync();
    return before === undefined ? "created" : "replaced";
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await folder.close();
  }
}

/** Git's own files are changed by git only: a hook or a setting written there would run outside any permission. */
function refuseGitInternals(place: Place): void {
  if (!place.relative.split("/").some((name) => name.toLowerCase() === ".git")) return;
  throw new ToolRefusal(
    `"${place.named}" is inside .git, which is not written by hand. Use git commands through bash.`,
    "permission_denied",
  );
}

async function existing(path: string, place: Place): Promise<Stats | undefined> {
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  refuseUnlessFile(stats, place);
  if ((stats.mode & 0o222) === 0) {
    throw new ToolRefusal(
      `"${place.named}" is write-protected. Someone made it so on purpose: ask before changing that.`,
      "permission_denied",
    );
  }
  return stats;
}

async function writeNew(path: string, data: Uint8Array, like: Stats | undefined): Promise<void> {
  const handle = await open(path, "wx");
  try {
    await handle.writeFile(data);
    if (like !== undefined) {
      const now = await handle.stat();
      // Only root can give a file away; for all others the new file is theirs, as with any editor.
      if (now.uid !== like.uid || now.gid !== like.gid) await handle.chown(like.uid, like.gid).catch(() => undefined);
      await handle.chmod(like.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function refuseIfChanged(expected: Stats, now: Stats | undefined, place: Place): void {
  const isSame = now?.ino === expected.ino && now.size === expected.size && now.mtimeMs === expected.mtimeMs;
  if (!isSame)
    throw new ToolRefusal(`"${place.named}" was changed by someone else just now. Read it again, then edit.`);
}
