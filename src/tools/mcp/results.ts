/** Turns what an MCP tool returned into the content of a result, losing nothing and giving the model nothing twice. */
import { z } from "zod";
import { canonicalJson, isPlainObject, wellFormed, type JsonValue } from "../../core/json.ts";
import type { ResultContent } from "../../core/part.ts";
import type { ToolResult } from "../../core/tool.ts";
import type { CallOutput } from "./connection.ts";
import { DEEPEST, isTooDeep } from "./words.ts";

const LONGEST_DESCRIPTION = 2_000;

const Annotations = z
  .looseObject({ audience: z.array(z.string()).optional() })
  .optional()
  .catch(undefined);
const Block = z.looseObject({ type: z.string(), annotations: Annotations });
const Text = z.looseObject({ text: z.string() });
const Media = z.looseObject({ data: z.string(), mimeType: z.string().optional() });
const Resource = z.looseObject({
  resource: z.looseObject({
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().optional(),
  }),
});
const ResourceLink = z.looseObject({
  uri: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.number().optional(),
});

/** `tool` is as its server names it. */
export function resultOf(output: CallOutput, tool: string): ToolResult {
  const blocks = output.content.map((raw) => (isTooDeep(raw) ? leftOut("content", tool) : contentOf(raw)));
  const content = withStructured(blocks, output.structuredContent, tool);
  return {
    content: content.length === 0 && output.isError === true ? [text("The tool failed without saying why.")] : content,
    ...(output.isError === true && { errorKind: "tool_failed" as const }),
  };
}

function withStructured(blocks: readonly ResultContent[], structured: unknown, tool: string): readonly ResultContent[] {
  if (isTooDeep(structured)) return [...blocks, leftOut("structured content", tool)];
  return merged(blocks, structured === undefined ? undefined : wellFormedJson(structured));
}

function leftOut(what: string, tool: string): ResultContent {
  return text(`[${what} of the tool "${tool}" was left out: it is nested more than ${DEEPEST} levels deep]`);
}

const text = (value: string): ResultContent => ({ type: "text", text: wellFormed(value) });

function contentOf(raw: unknown): ResultContent {
  const block = Block.safeParse(raw);
  if (!block.success) return described(raw);
  const content = pieceOf(block.data) ?? described(raw);
  const audience = block.data.annotations?.audience ?? [];
  const user = audience.includes("user");
  const model = audience.includes("assistant");
  return user === model ? content : { ...content, audience: { user, model } };
}

function pieceOf(block: z.infer<typeof Block>): ResultContent | undefined {
  switch (block.type) {
    case "text": {
      const parsed = Text.safeParse(block).data;
      return parsed && text(parsed.text);
    }
    case "image":
    case "audio": {
      const parsed = Media.safeParse(block).data;
      return parsed && file(parsed.data, parsed.mimeType ?? `${block.type}/*`);
    }
    case "resource": {
      const parsed = Resource.safeParse(block).data?.resource;
      if (parsed?.text !== undefined) return text(`${parsed.uri}:\n${parsed.text}`);
      return parsed?.blob === undefined ? undefined : file(parsed.blob, parsed.mimeType);
    }
    case "resource_link": {
      const parsed = ResourceLink.safeParse(block).data;
      return parsed && text(linkText(parsed));
    }
    default:
      return undefined;
  }
}

function linkText({ uri, name, description, mimeType, size }: z.infer<typeof ResourceLink>): string {
  const facts = [mimeType, size === undefined ? undefined : `${size} bytes`].filter((fact) => fact !== undefined);
  const kind = facts.length > 0 ? ` (${facts.join(", ")})` : "";
  return `Resource ${name === undefined ? "" : `"${name}" `}at ${uri}${kind}${description === undefined ? "" : `: ${description}`}`;
}

/** A provider refuses a request with broken base64, and would refuse it again in every later one. */
function file(data: string, mimeType = "application/octet-stream"): ResultContent {
  const isBase64 = /^[A-Za-z0-9+/_\s-]+=*\s*$/.test(data);
  if (!isBase64) return text(`[${mimeType} content that is not valid base64, ${data.length} characters]`);
  const mediaType = /^[\w.+-]+\/[\w.+*-]+$/.test(mimeType) ? mimeType : "application/octet-stream";
  return { type: "file", mediaType, data: Buffer.from(data, "base64").toString("base64") };
}

function described(raw: unknown): ResultContent {
  const json = JSON.stringify(raw) ?? String(raw);
  const cut = json.length > LONGEST_DESCRIPTION ? `${json.slice(0, LONGEST_DESCRIPTION)}…` : json;
  return text(`[content of a kind that is not known here: ${cut}]`);
}

/** Structured content takes the place of the text that repeats it; where it only wraps the text, the text stays. */
function merged(blocks: readonly ResultContent[], structured: JsonValue | undefined): readonly ResultContent[] {
  if (structured === undefined) return blocks;
  const canonical = canonicalJson(structured);
  const rest = blocks.filter((block) => block.type !== "text" || canonicalText(block.text) !== canonical);
  if (rest.length === blocks.length && wraps(structured, blocks)) return blocks;
  const repeated = blocks.find((block) => !rest.includes(block));
  return [...rest, { type: "json", value: structured, ...(repeated?.audience && { audience: repeated.audience }) }];
}

function wraps(structured: JsonValue, blocks: readonly ResultContent[]): boolean {
  const members = isPlainObject(structured) ? Object.values(structured) : [];
  const [only] = members;
  if (members.length !== 1 || only === undefined) return false;
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (typeof only === "string" && texts.join("\n") === only) return true;
  return texts.length === 1 && canonicalText(texts[0] ?? "") === canonicalJson(only);
}

function canonicalText(value: string): string | undefined {
  try {
    return canonicalJson(JSON.parse(value));
  } catch {
    return undefined;
  }
}

/** A JSON value as parsed, with every string and key made well-formed Unicode. */
export function wellFormedJson(value: unknown): JsonValue {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedJson);
  if (!isPlainObject(value)) return value === undefined ? null : (value as JsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [wellFormed(key), wellFormedJson(member)]));
}
