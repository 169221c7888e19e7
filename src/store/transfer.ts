/** The format of an exported session: a header, its entries with their content in place, its artifacts, and a trailer. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { Entry } from "../core/entry.ts";
import { UsageError } from "../core/error.ts";
import { ArtifactId, SessionId } from "../core/ids.ts";
import { canonicalJson } from "../core/json.ts";
import type { SessionInfo } from "../core/session.ts";

const FORMAT = "dacapo-session";
const VERSION = 1;

const Header = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  session: z.strictObject({
    id: SessionId,
    workspace: z.string(),
    title: z.string().optional(),
    model: z.string(),
    createdAt: z.string(),
  }),
});

/** A piece of an artifact; `start` is in UTF-16 units. */
const Piece = z.strictObject({ artifact: ArtifactId, start: z.number().int().nonnegative(), text: z.string() });
export type Piece = z.infer<typeof Piece>;

const Trailer = z.strictObject({ end: z.literal(true), entries: z.number().int(), sha256: z.string() });

/** What a line says, and its number, for whoever finds later that it cannot be. */
export type ExportLine = { readonly line: number } & (
  | { readonly type: "header"; readonly id: SessionId; readonly text: string }
  | { readonly type: "entry"; readonly entry: Entry; readonly hash: string }
  | { readonly type: "piece"; readonly piece: Piece }
);

export function headerLine({ id, workspace, title, model, createdAt }: SessionInfo): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, session: { id, workspace, title, model, createdAt } });
}

export function entryLine(entry: Entry, hash: string): string {
  return JSON.stringify({ ...entry, hash });
}

export function pieceLine({ artifact, start, text }: Piece): string {
  return JSON.stringify({ artifact, start, text });
}

/** Ends lines that are exported with a trailer, whose hash is of all lines before it, each with its line end. */
export async function* withTrailer(lines: AsyncIterable<string>, entries: number): AsyncGenerator<string, void, void> {
  const hash = createHash("sha256");
  for await (const line of lines) {
    hash.update(line).update("\n");
    yield line;
  }
  yield JSON.stringify({ end: true, entries, sha256: hash.digest("hex") });
}

/** The error about a line of an import. */
export function badLine(line: number, problem: string): UsageError {
  return new UsageError(`line ${line} of the export cannot be read: ${problem}; nothing was imported`);
}

/** Reads an export and checks each line by itself, their order and that they are all there. Throws UsageError. */
export async function* readExport(lines: AsyncIterable<string>): AsyncGenerator<ExportLine, void, void> {
  const hash = createHash("sha256");
  let [line, entries, ended] = [0, 0, false];
  for await (const text of lines) {
    line += 1;
    if (ended && text === "") continue;
    if (ended) throw badLine(line, "it comes after the end");
    const value = jsonOf(text, line);
    if (line === 1) {
      yield { type: "header", line, id: headerOf(value).session.id, text };
    } else if ("end" in value) {
      const trailer = checked(Trailer, value, line);
      if (trailer.entries !== entries)
        throw badLine(line, `it counts ${trailer.entries} entries, there are ${entries}`);
      if (trailer.sha256 !== hash.digest("hex"))
        throw badLine(line, "a line before it was changed: its sha256 differs");
      ended = true;
      continue;
    } else if ("artifact" in value) {
      yield { type: "piece", line, piece: checked(Piece, value, line) };
    } else {
      entries += 1;
      yield { type: "entry", line, ...entryOf(value, line) };
    }
    hash.update(text).update("\n");
  }
  if (!ended) throw badLine(line + 1, line === 0 ? "it is empty" : "it is missing: the export was cut off");
}

function jsonOf(text: string, line: number): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below, like any other line that is no object.
  }
  throw badLine(line, line === 1 ? "it is not the header of a session's export" : "it is not a JSON object");
}

function headerOf(value: Readonly<Record<string, unknown>>): z.infer<typeof Header> {
  if (value["format"] !== FORMAT) throw badLine(1, "it is not the header of a session's export");
  if (value["version"] !== VERSION) {
    throw badLine(
      1,
      `it has version ${JSON.stringify(value["version"])} of the format, and this program reads ${VERSION}`,
    );
  }
  return checked(Header, value, 1);
}

/** The entry as it was written, so that its hash can be checked, once the schema knows every member of it. */
function entryOf({ hash, ...value }: Readonly<Record<string, unknown>>, line: number) {
  const entry = checked(Entry, value, line);
  if (canonicalJson(entry) !== canonicalJson(value))
    throw badLine(line, "it has members that this version does not know");
  if (typeof hash !== "string") throw badLine(line, "it has no hash");
  return { entry: value as unknown as Entry, hash };
}

function checked<T>(schema: z.ZodType<T>, value: unknown, line: number): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw badLine(line, `${issue?.path.join(".") || "it"}: ${issue?.message ?? "is not valid"}`);
}
