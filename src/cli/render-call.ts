/** A tool call and what came of it, each in one line. */
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { Part, ResultContent, ResultPart } from "../core/part.ts";
import { oneLine, plural } from "./render-text.ts";

const WIDTH = 72;

/** `read(src/price.js)`: the values of the arguments, for their names are the tool's. */
export function callText(tool: string, args: JsonObject | string | undefined): string {
  return `${oneLine(tool, WIDTH)}(${oneLine(argsText(args), WIDTH)})`;
}

/** `bash "node --test"`: what somebody is asked about. */
export function askText(tool: string, args: JsonObject | string | undefined): string {
  return `${oneLine(tool, WIDTH)} ${JSON.stringify(oneLine(argsText(args), WIDTH))}`;
}

/** What a call is about comes first, whatever the order in which arguments are stored. */
const SUBJECTS = ["path", "command", "pattern", "url", "name"];

function argsText(args: JsonObject | string | undefined): string {
  if (args === undefined || typeof args === "string") return args ?? "";
  const subjects = SUBJECTS.filter((key) => args[key] !== undefined);
  const others = Object.keys(args).filter((key) => !subjects.includes(key));
  return [...subjects, ...others].map((key) => valueText(args[key] ?? null)).join(", ");
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The text of a result as a person may see it. */
export function resultText(part: ResultPart): string {
  return part.content
    .filter(({ audience }) => audience?.user !== false)
    .map(contentText)
    .join("\n");
}

function contentText(content: ResultContent): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "json":
      return JSON.stringify(content.value, null, 2);
    case "file":
      return `[${content.mediaType}, ${plural(Math.floor((content.data.length * 3) / 4), "byte")}]`;
    default:
      return content satisfies never;
  }
}

/** `12 lines`, or the only line there is, or the beginning of what went wrong. */
export function resultLine(part: ResultPart): string {
  const text = resultText(part).trim();
  if (text === "") return "nothing";
  const lines = text.split("\n");
  if (part.isError || lines.length === 1) return oneLine(lines[0] ?? "", WIDTH);
  return plural(lines.length, "line");
}

/** The result of a call among the parts of a message. */
export function resultIn(parts: readonly Part[]): ResultPart | undefined {
  return parts.find((part) => part.type === "result");
}
