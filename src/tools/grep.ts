/** The tool that searches the contents of files. */
import { posix } from "node:path";
import { stat } from "node:fs/promises";
import { z } from "zod";
import type { HostedTool, ToolContext, ToolResult } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { errorCode } from "./file-error.ts";
import { createIgnoreRules, repositoryOf } from "./gitignore.ts";
import { missingText } from "./near-names.ts";
import { printable } from "./printable-name.ts";
import { searchMatches, type Match } from "./ripgrep.ts";
import { textResult, ToolRefusal } from "./tool-result.ts";
import { locate, type Place } from "./workspace-path.ts";

const DEFAULT_LIMIT = 100;
const MOST_MATCHES = 1000;
const MOST_BYTES = 50 * 1024;

const GrepInput = z.strictObject({
  pattern: z.string().min(1).describe("Regular expression (Rust syntax); (?i) at its start ignores case."),
  path: z
    .string()
    .min(1)
    .optional()
    .describe("Folder or file to search, relative to the workspace. Default: all of it."),
  glob: z.string().min(1).optional().describe("Only files whose path matches, such as *.ts or src/**/*.{ts,tsx}."),
  limit: z.int().min(1).max(MOST_MATCHES).optional().describe(`How many lines to return. Default ${DEFAULT_LIMIT}.`),
});
type GrepInput = z.infer<typeof GrepInput>;

const DESCRIPTION = `Searches the contents of files for a regular expression and returns path:line: text for each matching line, \
in the order of the paths. Files that .gitignore leaves out, binary files and .git are not searched. \
To find files by name use glob.`;

/** `ripgrep` finds the executable; it is asked at each call. */
export function createGrepTool(subjectOf: (path: string) => string, ripgrep: () => Promise<string>): HostedTool {
  return builtinTool({
    name: "grep",
    description: DESCRIPTION,
    input: GrepInput,
    declaration: { readOnly: true, idempotent: true, touches: ["workspace"] },
    subject: ({ path }) => subjectOf(typeof path === "string" ? path : "."),
    run: async (input, ctx) => grep(input, ctx, await ripgrep()),
  });
}

async function grep(input: GrepInput, ctx: ToolContext, ripgrep: string): Promise<ToolResult> {
  if (`${input.pattern}${input.glob ?? ""}`.includes("\0")) {
    throw new ToolRefusal("A NUL character cannot be searched for: binary files are not searched.");
  }
  const place = await locate(ctx.workspace, input.path ?? ".");
  await refuseUnlessSearchable(place);
  const limit = input.limit ?? DEFAULT_LIMIT;
  const isWanted = await filterFor(input, place);
  const matches = searchMatches({
    ripgrep,
    pattern: input.pattern,
    root: place.root,
    relative: place.relative,
    ...(input.glob === undefined ? {} : { glob: input.glob }),
    isInRepository: (await repositoryOf(place.root)) !== undefined,
    signal: ctx.signal,
  });
  const found = await collected(matches, isWanted, limit);
  const where = input.glob === undefined ? place.named : `${place.named} (${input.glob})`;
  if (found.lines.length === 0) return textResult(`[no matches for ${input.pattern} in ${where}]`);
  const note = found.more
    ? [`[more matches follow these ${found.lines.length}: narrow pattern, path or glob, or raise limit]`]
    : [];
  return textResult([...found.lines, ...note].join("\n"));
}

async function collected(matches: AsyncIterable<Match>, isWanted: (match: Match) => Promise<boolean>, limit: number) {
  const lines: string[] = [];
  let bytes = 0;
  for await (const match of matches) {
    if (!(await isWanted(match))) continue;
    const line = `${printable(match.path)}:${match.line}: ${match.text}`;
    bytes += Buffer.byteLength(line) + 1;
    if (lines.length === limit || bytes > MOST_BYTES) return { lines, more: true };
    lines.push(line);
  }
  return { lines, more: false };
}

/** For ripgrep a glob is stronger than .gitignore; for us it only narrows. */
async function filterFor(input: GrepInput, place: Place): Promise<(match: Match) => Promise<boolean>> {
  if (input.glob === undefined) return () => Promise.resolve(true);
  const rules = await createIgnoreRules(place.root);
  return async ({ path }) => {
    if (path === place.relative) return true;
    const ignores = await rules.forFolder(posix.join(place.root, posix.dirname(path)));
    return !ignores(posix.basename(path), false);
  };
}

async function refuseUnlessSearchable(place: Place): Promise<void> {
  try {
    const stats = await stat(place.absolute);
    if (stats.isFile() || stats.isDirectory()) return;
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new ToolRefusal(await missingText(place));
    throw error;
  }
  throw new ToolRefusal(`"${place.named}" is neither a file nor a folder, so it is not searched.`);
}
