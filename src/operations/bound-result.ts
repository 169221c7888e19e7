/** Makes what a tool returned fit to be stored and sent: whole, clean, bounded, and never without a word for the model. */
import { z } from "zod";
import { mapText } from "../core/json.ts";
import type { JsonValue } from "../core/json.ts";
import type { StepContext } from "../core/operation.ts";
import { ResultContent } from "../core/part.ts";
import type { ToolResult } from "../core/tool.ts";
import { createCollector, INLINE_UNITS } from "./tool-output.ts";
import type { OutputPlace } from "./tool-output.ts";

/** 5 MB in base64: no provider takes more, and a request with it would be refused for ever. */
const MOST_FILE_UNITS = 7 * 1024 * 1024;

/** Made once: to make a schema costs more than to use it. */
const Contents = z.array(ResultContent);

interface Group {
  readonly first: ResultContent;
  readonly text: string;
}

/** All that is for the same eyes is bounded together. Throws if it is no result. */
export function bounded(result: ToolResult, place: OutputPlace, ctx: StepContext): ToolResult {
  const pieces = piecesOf(result);
  const artifacts = [...(result.artifacts ?? [])];
  const groups = groupsOf(pieces);
  const content = pieces.flatMap((piece): readonly ResultContent[] => {
    if (piece.type === "file") return [soundFile(piece)];
    const group = groups.get(audienceOf(piece));
    if (!group || group.text.length <= INLINE_UNITS) return [cleaned(piece, ctx)];
    if (piece !== group.first) return [];
    const collector = createCollector(place, { newId: ctx.newId, clean: ctx.clean, emit: () => undefined });
    collector.write(group.text);
    const { text, artifact } = collector.finish();
    if (artifact) artifacts.push(artifact);
    return [{ type: "text", text, ...(piece.audience && { audience: piece.audience }) }];
  });
  return { ...result, content: forModel(content), artifacts };
}

/** Tools are also written by hand: a result that is none is a failure of the tool and not of the engine. */
function piecesOf({ content }: Partial<ToolResult>): readonly ResultContent[] {
  const plain = content?.map((piece) =>
    piece.type === "json" ? { ...piece, value: JSON.parse(JSON.stringify(piece.value) ?? "null") as JsonValue } : piece,
  );
  const parsed = Contents.safeParse(plain);
  if (!parsed.success) throw new TypeError("it returned what is no result");
  return parsed.data;
}

const audienceOf = ({ audience = { user: true, model: true } }: ResultContent): string =>
  `${audience.user} ${audience.model}`;

/** For each audience the first piece that is for it and all that it gets to read. */
function groupsOf(pieces: readonly ResultContent[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const piece of pieces) {
    if (piece.type === "file") continue;
    const group = groups.get(audienceOf(piece));
    const text = textOf(piece);
    groups.set(audienceOf(piece), group ? { ...group, text: `${group.text}\n${text}` } : { first: piece, text });
  }
  return groups;
}

/** JSON that is to be read by its lines has some. */
function textOf(piece: Exclude<ResultContent, { type: "file" }>): string {
  return piece.type === "text" ? piece.text : JSON.stringify(piece.value, null, 2);
}

function cleaned(piece: Exclude<ResultContent, { type: "file" }>, { clean }: StepContext): ResultContent {
  return piece.type === "text"
    ? { ...piece, text: clean(piece.text) }
    : { ...piece, value: mapText(piece.value, clean) };
}

/** A provider refuses a request with a file that is broken, and would refuse it again in every later one. */
function soundFile(piece: Extract<ResultContent, { type: "file" }>): ResultContent {
  const { data, audience } = piece;
  const mediaType = /^[\w.+-]+\/[\w.+*-]+$/.test(piece.mediaType) ? piece.mediaType : "application/octet-stream";
  const told = (what: string): ResultContent => ({
    type: "text",
    text: `[${mediaType}: ${what}]`,
    ...(audience && { audience }),
  });
  if (data.length > MOST_FILE_UNITS) return told(`a file of ${data.length} characters of base64, which is too large`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return told("a file that is empty or no base64");
  return { ...piece, mediaType };
}

function forModel(content: readonly ResultContent[]): readonly ResultContent[] {
  if (content.some((piece) => piece.audience?.model ?? true)) return content;
  return [...content, { type: "text", text: "The tool returned nothing.", audience: { user: false, model: true } }];
}
