/** Skills from real folders: those of the workspace, then the person's own, each checked before it is listed. */
import { existsSync } from "node:fs";
import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { errorCode, fileErrorText } from "./file-error.ts";

/** Instructions are for a model to read whole; the specification advises a tenth of this. */
const LARGEST_FILE = 64 * 1024;
const MOST_SKILLS = 200;
const MOST_FILES = 200;
const DEEPEST = 4;
const WORKSPACE_FOLDERS = [".dacapo/skills", ".agents/skills", ".claude/skills"];

export interface SkillFolders {
  /** Absolute paths of the person's folders, the most important first. */
  readonly folders: readonly string[];
  /** Relative to the workspace, before the others; by default those of dacapo, of the specification and of Claude. */
  readonly workspaceFolders?: readonly string[];
}

interface FoundSkill {
  readonly name: string;
  readonly description: string;
  readonly folder: string;
  readonly text: string;
}

/** A folder of skills, and the real folders that its links may lead to. */
interface Shelf {
  readonly path: string;
  readonly within: readonly string[];
}

interface Search {
  readonly skills: Map<string, FoundSkill>;
  readonly problems: string[];
}

/**
 * Reads the folders anew each time, so that a skill that was just written is there. Of two skills with one name the first
 * counts. A link is followed only within the workspace, or within the person's folders; what cannot be used is skipped and
 * named in `problems`. Pass no workspace folders for a workspace that is not trusted.
 */
export function createSkillLibrary({ folders, workspaceFolders = WORKSPACE_FOLDERS }: SkillFolders) {
  const pathsIn = lastAnswer((workspace: string) => [
    ...workspaceFolders.map((path) => join(resolve(workspace), path)),
    ...folders,
  ]);
  const search = async (workspace: string): Promise<Search> => {
    const found: Search = { skills: new Map(), problems: [] };
    if (!pathsIn(workspace).some((path) => existsSync(path))) return found;
    for (const shelf of await shelves(workspace, workspaceFolders, folders)) await searchShelf(shelf, found);
    return found;
  };
  return {
    async list(workspace: string) {
      const { skills } = await search(workspace);
      return [...skills.values()]
        .map(({ name, description, folder }) => ({ name, description, folder }))
        .toSorted((left, right) => (left.name < right.name ? -1 : 1));
    },
    async problems(workspace: string): Promise<readonly string[]> {
      return (await search(workspace)).problems;
    },
    async load(workspace: string, name: string) {
      const skill = (await search(workspace)).skills.get(name);
      return skill && { text: skill.text, folder: skill.folder, files: await filesOf(skill.folder) };
    },
  };
}

/** Remembers the last answer: most processes work in one workspace and ask about it before every model request. */
function lastAnswer<Q, A>(answer: (question: Q) => A): (question: Q) => A {
  let last: { readonly question: Q; readonly answer: A } | undefined;
  return (question) => {
    if (last?.question !== question) last = { question, answer: answer(question) };
    return last.answer;
  };
}

async function shelves(
  workspace: string,
  ofWorkspace: readonly string[],
  ofPerson: readonly string[],
): Promise<readonly Shelf[]> {
  const reached = (path: string) => realPath(path).catch(() => undefined);
  const root = await reached(workspace);
  const own = await Promise.all(ofPerson.map(async (path) => ({ path, real: await reached(path) })));
  const within = own.flatMap(({ real }) => (real === undefined ? [] : [real]));
  return [
    ...(root === undefined
      ? []
      : ofWorkspace.map((path) => ({ path: join(resolve(workspace), path), within: [root] }))),
    ...own.map(({ path }) => ({ path, within })),
  ];
}

async function searchShelf(shelf: Shelf, found: Search): Promise<void> {
  try {
    const real = await realPath(shelf.path);
    if (real === undefined) return;
    if (!isWithin(shelf, real)) throw new SkillProblem("it leads out through a symbolic link");
    const names = await namesIn(real);
    for (const name of names.slice(0, MOST_SKILLS)) await readSkill(shelf, name, found);
    if (names.length > MOST_SKILLS) throw new SkillProblem(`only its first ${MOST_SKILLS} entries are read`);
  } catch (error) {
    found.problems.push(problemAt(shelf.path, error));
  }
}

/** Folders, and links that may lead to one, in order. */
async function namesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .toSorted();
}

async function readSkill(shelf: Shelf, name: string, found: Search): Promise<void> {
  const folder = join(shelf.path, name);
  try {
    const source = await sourceOf(shelf, folder);
    if (source === undefined) return;
    // The YAML parser is loaded only where there is a skill.
    const { parseSkillFile } = await import("./skill-file.ts");
    const parsed = parseSkillFile(source, name);
    if (!parsed.ok) throw new SkillProblem(parsed.problem);
    const { description, text } = parsed;
    if (!found.skills.has(name)) found.skills.set(name, { name, description, folder, text });
  } catch (error) {
    found.problems.push(problemAt(folder, error));
  }
}

class SkillProblem extends Error {
  override readonly name = "SkillProblem";
}

function problemAt(path: string, error: unknown): string {
  if (error instanceof SkillProblem) return `${path}: ${error.message}`;
  return fileErrorText(error, path) ?? `${path}: ${String(error)}`;
}

/** The text of a SKILL.md; undefined if there is none, as in a folder that is no skill. */
async function sourceOf(shelf: Shelf, folder: string): Promise<string | undefined> {
  const [at, real] = [await realPath(folder), await realPath(join(folder, "SKILL.md"))];
  if (at === undefined || real === undefined) return undefined;
  if (!isWithin(shelf, at) || !isWithin(shelf, real)) throw new SkillProblem("it leads out through a symbolic link");
  const stats = await stat(real);
  if (!stats.isFile()) throw new SkillProblem("its SKILL.md is not a regular file");
  if (stats.size > LARGEST_FILE) throw new SkillProblem(`its SKILL.md is larger than ${LARGEST_FILE / 1024} KB`);
  return readFile(real, "utf8");
}

/** Regular files other than SKILL.md, with `/`, in order; links are left out and depth and number are bounded. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    const entries: Dirent[] = await readdir(path, { withFileTypes: true });
    for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
      if (files.length >= MOST_FILES || entry.name.startsWith(".")) continue;
      const at = join(path, entry.name);
      if (entry.isDirectory() && depth < DEEPEST) await visit(at, depth + 1);
      if (entry.isFile() && at !== join(folder, "SKILL.md"))
        files.push(relative(folder, at).replaceAll(sep, posix.sep));
    }
  };
  await visit(folder, 1);
  return files;
}

function isWithin(shelf: Shelf, real: string): boolean {
  return shelf.within.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
}

/** Undefined if nothing is there. */
async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
