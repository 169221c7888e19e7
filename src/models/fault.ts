/** Reads what a provider's package threw or reported: by shape, for the packages carry different copies of their error classes. */
import { isPlainObject } from "../core/json.ts";

/** What is known of a fault, before it is judged. */
export interface Fault {
  readonly status: number | undefined;
  /** The provider's own codes, types and reasons, the most specific first. */
  readonly codes: readonly string[];
  /** Names of the errors and system codes in the chain of causes. */
  readonly names: readonly string[];
  /** The provider's own words; may be empty. */
  readonly words: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The wait that the body asks for. */
  readonly retryDelayMs: number | undefined;
}

type Fields = Record<string, unknown>;

export function faultOf(error: unknown): Fault {
  const chain = causesOf(error);
  const [outer = {}] = chain;
  const body = parsed(outer["responseBody"]);
  const reports = [outer, outer["data"], body].flatMap(reportsIn);
  const details = reports.flatMap((report) =>
    Array.isArray(report["details"]) ? report["details"].filter(isPlainObject) : [],
  );
  const codes = [
    ...details.map((detail) => detail["reason"]),
    ...["code", "type", "status"].flatMap((key) => reports.map((report) => report[key])),
  ];
  return {
    status: statusOf([outer, ...reports]),
    codes: codes.filter((code) => typeof code === "string"),
    names: [...chain, ...(body === undefined ? [] : [body])]
      .flatMap((fields) => [fields["name"], fields["code"]])
      .filter((name) => typeof name === "string"),
    words: wordsOf(error, reports, outer),
    headers: isPlainObject(outer["responseHeaders"]) ? (outer["responseHeaders"] as Record<string, string>) : {},
    retryDelayMs: details.map((detail) => secondsText(detail["retryDelay"])).find((ms) => ms !== undefined),
  };
}

/** The error and its causes; an AggregateError's errors count as causes. */
function causesOf(error: unknown): Fields[] {
  const chain: Fields[] = [];
  const visit = (value: unknown) => {
    if (!isPlainObject(value) || chain.includes(value) || chain.length > 20) return;
    chain.push(value);
    visit(value["cause"]);
    if (Array.isArray(value["errors"])) for (const member of value["errors"]) visit(member);
  };
  visit(error);
  return chain;
}

/** An error report and those inside it: `{error: {…}}` of all providers, `{response: {error: {…}}}` of OpenAI's stream. */
function reportsIn(value: unknown): Fields[] {
  if (!isPlainObject(value)) return [];
  const response = value["response"];
  return [...reportsIn(value["error"]), ...(isPlainObject(response) ? reportsIn(response["error"]) : []), value];
}

function statusOf(reports: readonly Fields[]): number | undefined {
  const told = reports
    .flatMap((report) => [report["statusCode"], report["code"]])
    .filter((code) => typeof code === "number");
  return told.find((code) => code >= 400 && code <= 599) ?? told.find((code) => code >= 100 && code <= 599);
}

function wordsOf(error: unknown, reports: readonly Fields[], outer: Fields): string {
  if (typeof error === "string") return error;
  const told = reports.flatMap((report) => [report["message"], report["error"], report["detail"]]);
  const inBody = told.find((text) => typeof text === "string" && text.trim() !== "" && text !== outer["message"]);
  const message =
    typeof outer["message"] === "string" ? outer["message"].replace(/^Cannot connect to API: ?/, "").trim() : "";
  // The package's own message is the provider's where it could read the body, else only the status in words.
  const readable = reports.some((report) => report !== outer && report["message"] === outer["message"]);
  if (readable && message !== "") return message;
  return (typeof inBody === "string" ? inBody : plainBody(outer["responseBody"])).trim() || message;
}

function plainBody(body: unknown): string {
  return typeof body === "string" && !/^\s*[<{[]/.test(body) ? body.trim() : "";
}

function parsed(text: unknown): Fields | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Google answers with an array of one report where the stream was asked for in its plain form.
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return isPlainObject(first) ? first : undefined;
  } catch {
    return undefined;
  }
}

function secondsText(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(value)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
