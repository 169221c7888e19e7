/** The tool that shows one folder. */
import { lstat, readdir, readlink } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { z } from "zod";
import type { HostedTool, ToolContext, ToolResult } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { errorCode } from "./file-error.ts";
import { createIgnoreRules } from "./gitignore.ts";
import { missingText } from "./near-names.ts";
import { openFolder, type OpenFolder } from "./open-folder.ts";
import { printable } from "./printable-name.ts";
import { sizeText } from "./text-size.ts";
import { textResult, ToolRefusal } from "./tool-result.ts";
import { locate, type Place } from "./workspace-path.ts";

const MOST_ENTRIES = 500;

const ListInput = z.strictObject({
  path: z.string().min(1).optional().describe("Folder, relative to the workspace. Default: the workspace folder."),
});
type ListInput = z.infer<typeof ListInput>;

const DESCRIPTION = `Shows what is in one folder, sorted by name: folders end in /, files have their size, links their target, and what \
.gitignore leaves out is marked. At most ${MOST_ENTRIES} entries. To find files in deeper folders use glob.`;

export function createListTool(subjectOf: (path: string) => string): HostedTool {
  return builtinTool({
    name: "list",
    description: DESCRIPTION,
    input: ListInput,
    declaration: { readOnly: true, idempotent: true, touches: ["workspace"] },
    subject: ({ path }) => subjectOf(typeof path === "string" ? path : "."),
    run: listFolder,
  });
}

async function listFolder(input: ListInput, ctx: ToolContext): Promise<ToolResult> {
  const place = await locate(ctx.workspace, input.path ?? ".");
  const folder = await opened(place);
  try {
    const entries = await readdir(folder.path, { withFileTypes: true });
    if (entries.length === 0) return textResult(`[${place.named} is an empty folder]`);
    const ignores = await (await createIgnoreRules(place.root)).forFolder(place.absolute);
    const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const lines: string[] = [];
    for (const entry of sorted.slice(0, MOST_ENTRIES)) {
      ctx.signal.throwIfAborted();
      const mark = ignores(entry.name, entry.isDirectory()) ? "  (gitignored)" : "";
      lines.push((await entryLine(entry, folder)) + mark);
    }
    const hidden = entries.length - lines.length;
    return textResult([...lines, ...(hidden > 0 ? [`[${hidden} more: use glob with a pattern]`] : [])].join("\n"));
  } finally {
    await folder.close();
  }
}

async function opened(place: Place): Promise<OpenFolder> {
  try {
    return await openFolder(place.root, place.relative);
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new ToolRefusal(await missingText(place));
    if (errorCode(error) === "ENOTDIR") throw new ToolRefusal(`"${place.named}" is not a folder. Use read for a file.`);
    throw error;
  }
}

async function entryLine(entry: Dirent, folder: OpenFolder): Promise<string> {
  const path = folder.at(entry.name);
  const name = printable(entry.name);
  try {
    if (entry.isDirectory()) return `${name}/`;
    if (entry.isSymbolicLink()) return `${name} -> ${printable(await readlink(path))}`;
    if (entry.isFile()) return `${name}  ${sizeText((await lstat(path)).size)}`;
    return `${name}  (not a regular file)`;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return `${name}  (gone or not accessible)`;
  }
}
