/** Suggests the files that were probably meant by a path that does not exist. */
import { readdir } from "node:fs/promises";
import { posix } from "node:path";
import { errorCode } from "./file-error.ts";
import { openFolder } from "./open-folder.ts";
import { quoted } from "./printable-name.ts";
import { similarity } from "./similarity.ts";
import type { Place } from "./workspace-path.ts";

const MOST_NAMES = 3;
const LEAST_SIMILARITY = 0.4;

/** A sentence that says what is missing and what is near it. */
export async function missingText(place: Place): Promise<string> {
  const names = place.relative.split("/");
  for (let depth = names.length - 1; depth >= 0; depth -= 1) {
    const folder = names.slice(0, depth).join("/") || ".";
    const entries = await entriesOf(place.root, folder);
    if (entries === undefined) continue;
    const missing = names[depth] ?? "";
    const near = nearest(missing, entries).map((name) => quoted(posix.join(folder, name)));
    const what =
      depth === names.length - 1
        ? `"${place.named}" does not exist.`
        : `"${place.named}" does not exist: there is no "${missing}" in "${folder}".`;
    return near.length > 0 ? `${what} Did you mean ${near.join(" or ")}?` : `${what} Use glob or list to find it.`;
  }
  return `"${place.named}" does not exist.`;
}

async function entriesOf(root: string, relative: string): Promise<readonly string[] | undefined> {
  try {
    const folder = await openFolder(root, relative);
    try {
      return await readdir(folder.path);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function nearest(name: string, entries: readonly string[]): string[] {
  return entries
    .map((entry) => ({ entry, score: similarity(name, entry) }))
    .filter(({ score }) => score >= LEAST_SIMILARITY)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_NAMES)
    .map(({ entry }) => entry);
}
