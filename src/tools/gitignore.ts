/** Answers what .gitignore files leave out, from the root of the repository down, as git reads them. */
import { lstat, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isInside } from "./workspace-path.ts";

/** Larger ones are no lists of patterns. */
const MOST_BYTES = 1024 ** 2;

/** Whether an entry of one folder is left out. */
export type IgnoresEntry = (name: string, isFolder: boolean) => boolean;

export interface IgnoreRules {
  /** For the entries of a folder, by its real path. In a folder that is itself left out nothing more is. */
  forFolder(folder: string): Promise<IgnoresEntry>;
}

/** The rules of one .gitignore file and the folder that it stands in. */
interface Layer {
  readonly folder: string;
  readonly rules: Ignore;
}

/** What is known of a folder: the layers that count for its entries, the nearest last. */
interface FolderRules {
  readonly layers: readonly Layer[];
  readonly isIgnored: boolean;
}

/** Reads each .gitignore once, so it is made anew for every call. `root` is the real path of the workspace. */
export async function createIgnoreRules(root: string): Promise<IgnoreRules> {
  const top = (await repositoryOf(root)) ?? root;
  const known = new Map<string, Promise<FolderRules>>();

  function rulesOf(folder: string): Promise<FolderRules> {
    const rules = known.get(folder) ?? readRules(folder);
    known.set(folder, rules);
    return rules;
  }
  async function readRules(folder: string): Promise<FolderRules> {
    const above = folder === top || !isInside(top, folder) ? undefined : await rulesOf(dirname(folder));
    const layers = above?.layers ?? [];
    const isIgnored = above !== undefined && (above.isIgnored || isLeftOut(layers, folder, true));
    const rules = await ignoreFile(folder);
    return { layers: rules === undefined ? layers : [...layers, { folder, rules }], isIgnored };
  }
  return {
    async forFolder(folder) {
      const { layers, isIgnored } = await rulesOf(folder);
      return (name, isFolder) => !isIgnored && isLeftOut(layers, join(folder, name), isFolder);
    },
  };
}

/** The folder of the repository that the workspace is in, or undefined. */
export async function repositoryOf(root: string): Promise<string | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    const isRepository = await lstat(join(folder, ".git")).then(
      () => true,
      () => false,
    );
    if (isRepository) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function isLeftOut(layers: readonly Layer[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of layers.toReversed()) {
    const name = relative(folder, path).split(sep).join("/");
    const { ignored, unignored } = rules.test(isFolder ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function ignoreFile(folder: string): Promise<Ignore | undefined> {
  const path = join(folder, ".gitignore");
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    return ignore({ ignoreCase: process.platform !== "linux", allowRelativePaths: true }).add(
      await readFile(path, "utf8"),
    );
  } catch {
    // No such file, or not ours to read: then it leaves nothing out.
    return undefined;
  }
}
