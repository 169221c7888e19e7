/** The tool that reads a text file, an image or an artifact. */
import { z } from "zod";
import type { FileHandle } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import type { HostedTool, ToolContext, ToolResult } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { errorCode } from "./file-error.ts";
import { fileKind } from "./file-kind.ts";
import { lineWindow, LONGEST_LINE, type LineWindow } from "./line-window.ts";
import { missingText } from "./near-names.ts";
import { openFile } from "./open-folder.ts";
import { countText, sizeText } from "./text-size.ts";
import { textResult, ToolRefusal } from "./tool-result.ts";
import { wrapLines } from "./wrap-lines.ts";
import { isInside, locate, type Place } from "./workspace-path.ts";

const MOST_LINES = 2000;
const HEAD_BYTES = 8 * 1024;
const CHUNK_BYTES = 256 * 1024;
const ARTIFACT_UNITS = 64 * 1024;
const MOST_IMAGE_BYTES = 5 * 1024 ** 2;
const ARTIFACT = "artifact:";

const ReadInput = z.strictObject({
  path: z.string().min(1).describe("File, relative to the workspace; or artifact:ID for output that was too long."),
  offset: z.int().min(1).optional().describe("First line to show; lines are counted from 1. Default 1."),
  limit: z.int().min(1).max(MOST_LINES).optional().describe(`How many lines to show. Default ${MOST_LINES}.`),
});
type ReadInput = z.infer<typeof ReadInput>;

const DESCRIPTION = `Reads a file. Text is shown as line number, tab, line; the number and the tab are not part of the file. \
At most ${MOST_LINES} lines or 50 KB come at once, lines over 2000 characters are cut, and a note says how to go on. \
Images (png, jpg, gif, webp) are shown as images. artifact:ID reads stored tool output in the same way, \
its longer lines as several. \
To search many files use grep; to see a folder use list.`;

/** `readRoots` are folders outside the workspace that may be read by absolute path, such as those of skills. */
export function createReadTool(subjectOf: (path: string) => string, readRoots: readonly string[] = []): HostedTool {
  return builtinTool({
    name: "read",
    description: DESCRIPTION,
    input: ReadInput,
    declaration: { readOnly: true, idempotent: true, touches: ["workspace"] },
    subject: ({ path }) => {
      if (typeof path !== "string") return undefined;
      return path.startsWith(ARTIFACT) ? path : subjectOf(path);
    },
    run: (input, ctx) => (input.path.startsWith(ARTIFACT) ? readArtifact(input, ctx) : readFile(input, ctx, readRoots)),
  });
}

async function readFile(input: ReadInput, ctx: ToolContext, readRoots: readonly string[]): Promise<ToolResult> {
  const root = readRoots.find((folder) => isAbsolute(input.path) && isInside(resolve(folder), resolve(input.path)));
  const place = await locate(root ?? ctx.workspace, input.path);
  const { handle, stats } = await opened(place);
  try {
    if (stats.size === 0) return textResult(`[${place.named} is empty]`);
    const head = await bytesAt(handle, 0, HEAD_BYTES);
    const kind = fileKind(head);
    switch (kind.type) {
      case "image":
        return await imageResult(handle, place, { mediaType: kind.mediaType, size: stats.size });
      case "binary":
        throw new ToolRefusal(
          `"${place.named}" is a binary file (${sizeText(stats.size)}), which read does not show. Look at it with bash, for example file or xxd.`,
        );
      case "text": {
        const chunks = textOf(handle, kind.encoding, ctx.signal);
        const window = await lineWindow(chunks, input.offset ?? 1, input.limit ?? MOST_LINES);
        return windowResult(window, input, place.named);
      }
      default:
        return kind satisfies never;
    }
  } finally {
    await handle.close();
  }
}

async function opened(place: Place): ReturnType<typeof openFile> {
  try {
    return await openFile(place);
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new ToolRefusal(await missingText(place));
    throw error;
  }
}

/** Other tools do not reach an artifact, so its long lines are not cut but go on in the next. */
async function readArtifact(input: ReadInput, ctx: ToolContext): Promise<ToolResult> {
  const id = input.path.slice(ARTIFACT.length);
  const first = ctx.readArtifact(id, 0, ARTIFACT_UNITS);
  if (first === undefined) {
    throw new ToolRefusal(`There is no artifact "${id}" in this session. Copy the id from the result that names it.`);
  }
  if (first.size === 0) return textResult(`[${input.path} is empty]`);
  const pieces = wrapLines(piecesOf(id, ctx), LONGEST_LINE);
  const window = await lineWindow(pieces, input.offset ?? 1, input.limit ?? MOST_LINES);
  return windowResult(window, input, input.path);
}

function* piecesOf(id: string, ctx: ToolContext): Iterable<string> {
  for (let at = 0; ; at += ARTIFACT_UNITS) {
    ctx.signal.throwIfAborted();
    const piece = ctx.readArtifact(id, at, ARTIFACT_UNITS);
    if (piece === undefined || piece.text === "") return;
    yield piece.text;
  }
}

function windowResult(window: LineWindow, input: ReadInput, named: string): ToolResult {
  const first = input.offset ?? 1;
  if (window.count === 0) {
    throw new ToolRefusal(`"${named}" has ${countText(window.total, "line")}, so there is none at offset ${first}.`);
  }
  const notes: string[] = [];
  const next = first + window.count;
  if (window.more) {
    const call = JSON.stringify({ path: input.path, offset: next });
    notes.push(`[lines ${first} to ${next - 1}; more follow: read ${call}]`);
  } else if (first > 1) notes.push(`[end of the file: ${countText(window.total, "line")}]`);
  if (window.hasCutLine) notes.push("[lines over 2000 characters are cut; bash with cut -c shows the rest of one]");
  if (window.text.includes("\uFFFD")) notes.push("[\uFFFD stands for bytes that are not valid text in this encoding]");
  return textResult([window.text, ...notes].join("\n"));
}

async function imageResult(
  handle: FileHandle,
  place: Place,
  image: { readonly mediaType: string; readonly size: number },
): Promise<ToolResult> {
  const size = sizeText(image.size);
  if (image.size > MOST_IMAGE_BYTES) {
    throw new ToolRefusal(
      `"${place.named}" is an image of ${size}; at most 5 MB can be shown. Make a smaller copy first.`,
    );
  }
  const data = (await bytesAt(handle, 0, image.size)).toString("base64");
  return {
    content: [
      { type: "text", text: `${place.named}: ${image.mediaType}, ${size}` },
      { type: "file", mediaType: image.mediaType, data },
    ],
  };
}

async function* textOf(handle: FileHandle, encoding: string, signal: AbortSignal): AsyncIterable<string> {
  const decoder = new TextDecoder(encoding);
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const bytes = await bytesAt(handle, at, CHUNK_BYTES);
    if (bytes.length === 0) break;
    at += bytes.length;
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/** As many bytes as there are, up to `length`. */
async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
