/** The tool that finds files by name. */
import type { readdir as readdirOf, Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { callbackify } from "node:util";
import { z } from "zod";
import type { HostedTool, ToolContext, ToolResult } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { createIgnoreRules, type IgnoreRules } from "./gitignore.ts";
import { missingText } from "./near-names.ts";
import { openFolder } from "./open-folder.ts";
import { errorCode } from "./file-error.ts";
import { printable } from "./printable-name.ts";
import { textResult, ToolRefusal } from "./tool-result.ts";
import { isInside, locate, type Place } from "./workspace-path.ts";

const MOST_PATHS = 500;

const GlobInput = z.strictObject({
  pattern: z.string().min(1).describe("Such as **/*.test.ts, src/*.{ts,tsx} or **/README*."),
  path: z.string().min(1).optional().describe("Folder that the pattern starts from, relative to the workspace."),
});
type GlobInput = z.infer<typeof GlobInput>;

const DESCRIPTION = `Finds files by a pattern of their path and returns their paths, sorted: * is anything in one name, ** any \
number of folders. Files that .gitignore leaves out, symbolic links and .git are not found. At most ${MOST_PATHS} paths are returned. \
To search contents use grep; to see one folder use list.`;

export function createGlobTool(subjectOf: (path: string) => string): HostedTool {
  return builtinTool({
    name: "glob",
    description: DESCRIPTION,
    input: GlobInput,
    declaration: { readOnly: true, idempotent: true, touches: ["workspace"] },
    subject: ({ path }) => subjectOf(typeof path === "string" ? path : "."),
    run: findFiles,
  });
}

async function findFiles(input: GlobInput, ctx: ToolContext): Promise<ToolResult> {
  const place = await locate(ctx.workspace, input.path ?? ".");
  await refuseUnlessFolder(place);
  const pattern = relativePattern(input.pattern, place);
  const rules = await createIgnoreRules(place.root);
  const { glob } = await import("tinyglobby");
  const found = await glob(oneLine(pattern), {
    cwd: place.absolute,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    signal: ctx.signal,
    fs: { readdir: readdirWithin(place.root, rules) },
  });
  ctx.signal.throwIfAborted();
  if (found.length === 0) return textResult(`[no files match ${input.pattern} in ${place.named}]`);
  const paths = found.map((path) => posix.join(place.relative, asItIs(path))).toSorted();
  const hidden = paths.length - MOST_PATHS;
  const note = hidden > 0 ? [`[${hidden} more: narrow the pattern or give a path]`] : [];
  return textResult([...paths.slice(0, MOST_PATHS).map(printable), ...note].join("\n"));
}

async function refuseUnlessFolder(place: Place): Promise<void> {
  try {
    await (await openFolder(place.root, place.relative)).close();
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new ToolRefusal(await missingText(place));
    throw error;
  }
}

/** A pattern that climbs is refused even where it would come back in: it cannot be told from one that does not. */
function relativePattern(pattern: string, place: Place): string {
  const inside = pattern.startsWith(`${place.absolute}/`) ? pattern.slice(place.absolute.length + 1) : pattern;
  if (inside.startsWith("/") || /(^|[/{,(|])\.\.([/},)|]|$)/.test(inside.replaceAll("\\", ""))) {
    throw new ToolRefusal(
      `The pattern "${pattern}" leads out of the folder that it starts from. Give the folder as path and a pattern without "..".`,
      "permission_denied",
    );
  }
  return inside;
}

/** Reads folders for tinyglobby: only in the workspace, whatever a pattern names on its way, and without what is left out. */
function readdirWithin(root: string, rules: IgnoreRules): typeof readdirOf {
  const read = async (path: string, _options: unknown): Promise<Dirent[]> => {
    const folder = await realpath(asItIs(path));
    if (!isInside(root, folder)) return [];
    const ignores = await rules.forFolder(folder);
    const entries = await readdir(folder, { withFileTypes: true });
    const kept = entries.filter((entry) => entry.name !== ".git" && !ignores(entry.name, entry.isDirectory()));
    for (const entry of kept) entry.name = oneLine(entry.name);
    return kept;
  };
  // Of the many signatures of readdir the walker uses this one; a folder that cannot be read has nothing in it for it.
  return callbackify(read) as unknown as typeof readdirOf;
}

/** The walker's patterns stop at line breaks, so it is shown characters that are in no name in their place. */
const BREAKS = "\n\r\u2028\u2029";
const STAND_INS = "\uFDD0\uFDD1\uFDD2\uFDD3";

function oneLine(path: string): string {
  return path.replaceAll(/[\n\r\u2028\u2029]/g, (found) => STAND_INS.charAt(BREAKS.indexOf(found)));
}

function asItIs(path: string): string {
  return path.replaceAll(/[\uFDD0-\uFDD3]/g, (found) => BREAKS.charAt(STAND_INS.indexOf(found)));
}
