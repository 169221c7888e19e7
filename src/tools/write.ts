/** The tool that writes a whole file. */
import { z } from "zod";
import type { HostedTool } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { replaceFile } from "./replace-file.ts";
import { sizeText } from "./text-size.ts";
import { textResult } from "./tool-result.ts";
import { locate } from "./workspace-path.ts";

const WriteInput = z.strictObject({
  path: z.string().min(1).describe("File, relative to the workspace. Missing folders are made."),
  content: z.string().describe("The whole new content of the file."),
});

const DESCRIPTION = `Writes a file: makes it, or replaces everything in it. Use it for new files and complete rewrites; \
to change a part of a file use edit.`;

export function createWriteTool(subjectOf: (path: string) => string): HostedTool {
  return builtinTool({
    name: "write",
    description: DESCRIPTION,
    input: WriteInput,
    declaration: { readOnly: false, idempotent: true, touches: ["workspace"] },
    subject: ({ path }) => (typeof path === "string" ? subjectOf(path) : undefined),
    async run({ path, content }, ctx) {
      const place = await locate(ctx.workspace, path);
      const data = Buffer.from(content, "utf8");
      const done = await replaceFile(place, data);
      return textResult(`${done === "created" ? "Created" : "Overwrote"} ${place.named} (${sizeText(data.length)}).`);
    },
  });
}
