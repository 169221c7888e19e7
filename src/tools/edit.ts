/** The tool that replaces one text in a file by another. */
import { z } from "zod";
import type { HostedTool, ToolContext, ToolResult } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { editExcerpt, type Change } from "./edit-excerpt.ts";
import { errorCode } from "./file-error.ts";
import { findText, replaceAt, withoutOverlaps, type FoundText } from "./find-text.ts";
import { missingText } from "./near-names.ts";
import { nearText } from "./near-text.ts";
import { openFile } from "./open-folder.ts";
import { replaceFile } from "./replace-file.ts";
import { countText, sizeText } from "./text-size.ts";
import { textResult, ToolRefusal } from "./tool-result.ts";
import { locate, type Place } from "./workspace-path.ts";

const MOST_BYTES = 10 * 1024 ** 2;
const MOST_NAMED_LINES = 20;

const EditInput = z.strictObject({
  path: z.string().min(1).describe("File, relative to the workspace."),
  oldText: z.string().describe("The text to replace, exactly as it is in the file, without line numbers."),
  newText: z.string().describe("The text to put there."),
  replaceAll: z.boolean().optional().describe("Replace every place where oldText stands. Default false."),
});
type EditInput = z.infer<typeof EditInput>;

const DESCRIPTION = `Replaces oldText by newText in a file. oldText must match the file exactly, with its indentation, and \
must stand there once: add lines around it to make it unique, or set replaceAll. Line endings need no care. Read the file \
first. For a new file or a complete rewrite use write.`;

export function createEditTool(subjectOf: (path: string) => string): HostedTool {
  return builtinTool({
    name: "edit",
    description: DESCRIPTION,
    input: EditInput,
    declaration: { readOnly: false, idempotent: false, touches: ["workspace"] },
    subject: ({ path }) => (typeof path === "string" ? subjectOf(path) : undefined),
    run: editFile,
  });
}

async function editFile(input: EditInput, ctx: ToolContext): Promise<ToolResult> {
  if (input.oldText === "") throw new ToolRefusal("oldText is empty. To make or replace a whole file use write.");
  if (input.oldText === input.newText) throw new ToolRefusal("oldText and newText are the same: nothing would change.");
  const place = await locate(ctx.workspace, input.path);
  const { content, hasBom, stats } = await readText(place);
  const found = findText(content, input.oldText, input.newText);
  if (found.offsets.length === 0) throw new ToolRefusal(notFound(place, content, input.oldText));
  if (found.offsets.length > 1 && input.replaceAll !== true) throw new ToolRefusal(ambiguous(place, content, found));
  if (found.oldText === found.newText)
    throw new ToolRefusal("oldText and newText differ only in line endings, which edit keeps.");
  const offsets = withoutOverlaps(found.offsets, found.oldText.length);
  const edited = replaceAt(content, offsets, found);
  await replaceFile(place, Buffer.from(hasBom ? `\uFEFF${edited}` : edited, "utf8"), stats);
  const what = `Edited ${place.named}: ${countText(offsets.length, "replacement")}.`;
  return textResult(`${what}\n${editExcerpt(content, edited, changesOf(offsets, found))}`);
}

async function readText(place: Place) {
  const { handle, stats } = await openFile(place).catch(async (error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new ToolRefusal(`${await missingText(place)} To make a new file use write.`);
  });
  try {
    if (stats.size > MOST_BYTES) {
      throw new ToolRefusal(
        `"${place.named}" has ${sizeText(stats.size)}; edit takes files up to ${sizeText(MOST_BYTES)}. Use bash, for example sed.`,
      );
    }
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
    const hasBom = text.startsWith("\uFEFF");
    return { content: hasBom ? text.slice(1) : text, hasBom, stats };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ToolRefusal(
      `"${place.named}" is not UTF-8 text; editing it would damage it. Use bash, for example iconv or sed.`,
    );
  } finally {
    await handle.close();
  }
}

function notFound(place: Place, content: string, oldText: string): string {
  if (content === "") return `"${place.named}" is empty. Use write to give it content.`;
  return `oldText is not in "${place.named}"; nothing was changed. ${nearText(content, oldText)}`;
}

function ambiguous(place: Place, content: string, found: FoundText): string {
  const lines = lineNumbers(content, found.offsets.slice(0, MOST_NAMED_LINES));
  const more = found.offsets.length > MOST_NAMED_LINES ? ", …" : "";
  return (
    `oldText stands ${found.offsets.length} times in "${place.named}", at lines ${lines.join(", ")}${more}; nothing was changed. ` +
    "Add lines around it until it is unique, or set replaceAll."
  );
}

/** `offsets` ascend. */
function lineNumbers(content: string, offsets: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return offsets.map((offset) => {
    for (let at = content.indexOf("\n", from); at !== -1 && at < offset; at = content.indexOf("\n", from)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

function changesOf(offsets: readonly number[], found: FoundText): Change[] {
  const growth = found.newText.length - found.oldText.length;
  return offsets.map((offset, index) => {
    const moved = offset + index * growth;
    return {
      before: { start: offset, end: offset + found.oldText.length },
      after: { start: moved, end: moved + found.newText.length },
    };
  });
}
