/** The calculator's tools that return each kind of content, the odd ones included. */
import { z } from "zod";
import { READS, say, type AddTool } from "./add-tool.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MOST_BYTES = 16_000_000;

export function registerContentTools(add: AddTool): void {
  addLarge(add);
  addMedia(add);
  const user = { audience: ["user" as const] };
  const assistant = { audience: ["assistant" as const] };
  add({ name: "audience", description: "Says one thing to each audience.", input: {}, annotations: READS }, () => ({
    content: [
      { type: "text", text: "for the user", annotations: user },
      { type: "text", text: "for the model", annotations: assistant },
      { type: "text", text: "for both" },
    ],
  }));
  add({ name: "user_only", description: "Says something to the user only.", input: {}, annotations: READS }, () => ({
    content: [{ type: "text", text: "for the user", annotations: user }],
  }));
  add({ name: "lone_surrogate", description: "Returns half a character.", input: {}, annotations: READS }, () => ({
    content: [{ type: "text", text: "half \uD83D of a pair" }],
    structuredContent: { "key \uDE00": ["\uD83D"] },
  }));
  add({ name: "nothing", description: "Returns nothing.", input: {}, annotations: READS }, () => ({ content: [] }));
  add(
    { name: "repeat", description: "Returns one value as JSON text and as structure.", input: {}, annotations: READS },
    () => {
      const value = { rows: [1, 2, 3] };
      return { ...say(JSON.stringify(value, null, 2)), structuredContent: value };
    },
  );
}

function addLarge(add: AddTool): void {
  add(
    {
      name: "big",
      description: "Returns numbered lines, so many bytes of them.",
      input: { bytes: z.number().int().min(0).max(MOST_BYTES), structured: z.boolean().optional() },
      annotations: READS,
    },
    ({ bytes, structured = false }) => {
      const lines = Array.from(
        { length: Math.ceil(bytes / 16) },
        (_, at) => `line ${String(at + 1).padStart(10, "0")}`,
      );
      const content = `${lines.join("\n")}\n`.slice(0, bytes);
      return structured ? { ...say("see the rows"), structuredContent: { rows: lines } } : say(content);
    },
  );
}

function addMedia(add: AddTool): void {
  add({ name: "image", description: "Returns a picture of one pixel.", input: {}, annotations: READS }, () => ({
    content: [{ type: "image", data: PIXEL, mimeType: "image/png" }],
  }));
  add({ name: "binary", description: "Returns bytes that are not text.", input: {}, annotations: READS }, () => ({
    content: [
      {
        type: "resource",
        resource: { uri: "calculator://bytes", mimeType: "application/octet-stream", blob: "AP+AgQ==" },
      },
    ],
  }));
  add(
    { name: "links", description: "Returns a resource and a link to another.", input: {}, annotations: READS },
    () => ({
      content: [
        { type: "resource", resource: { uri: "calculator://manual", mimeType: "text/plain", text: "Press the keys." } },
        {
          type: "resource_link",
          uri: "calculator://tape",
          name: "tape",
          mimeType: "text/plain",
          size: 12,
          description: "the paper tape",
        },
      ],
    }),
  );
}
