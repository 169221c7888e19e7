/** Checks a call's arguments against a JSON Schema, because models send "5" for 5 and must be told exactly what else is wrong. */
import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { wordsOf } from "../core/error.ts";
import { isPlainObject, wellFormed, type JsonObject, type JsonValue } from "../core/json.ts";
import type { CheckedArgs, Tool } from "../core/tool.ts";

const LONGEST_PROBLEM = 1_200;
const LONGEST_VALUE = 80;
const MOST_ISSUES = 6;
/** A coerced value can uncover another branch of the schema (if/then), so a few rounds; each one strictly removes strings. */
const MOST_ROUNDS = 4;

/**
 * The `check` of a tool with this input schema (draft-07 or 2020-12; formats are not checked). A string that is exactly a
 * number or `true`/`false` becomes one where, and only where, the schema refuses the string; the input is never changed.
 * The schema is compiled at the first check; one that cannot be compiled makes every check answer why. `subject` is
 * computed from the checked arguments. Neither throws.
 */
export function schemaCheck(
  inputSchema: JsonObject,
  subject?: (args: JsonObject) => string | undefined,
): Tool["check"] {
  let compiled: Compiled | undefined;
  return (args) => {
    compiled ??= compile(inputSchema);
    if (typeof compiled === "string") return { ok: false, problem: compiled };
    try {
      const checked = coerceAndValidate(compiled, args);
      if (!checked.ok) return checked;
      const text = subject?.(checked.args);
      return text === undefined ? checked : { ...checked, subject: text };
    } catch (error) {
      return { ok: false, problem: bounded(`the arguments cannot be checked: ${wordsOf(error)}`) };
    }
  };
}

/** The validator, or why there is none. */
type Compiled = ValidateFunction | string;

const OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  // Many servers send patterns that are valid only without the unicode flag.
  code: { regExp: Object.assign(lenientRegExp, { code: "new RegExp" }) },
};

type Draft = "draft07" | "draft2020";
const compilers: { draft07?: Ajv; draft2020?: Ajv2020 } = {};

/** Loading ajv takes 50 ms, so it waits for the first check; a check is synchronous, so it cannot be imported. */
function compilerOf(draft: Draft): Ajv {
  const require = createRequire(import.meta.url);
  if (draft === "draft07") {
    return (compilers.draft07 ??= new (require("ajv") as typeof import("ajv")).Ajv(OPTIONS));
  }
  return (compilers.draft2020 ??= new (require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js")).Ajv2020(
    OPTIONS,
  ));
}

/** A schema that names no draft is 2020-12, as MCP has it, unless only draft-07 makes sense of it. */
function compile(inputSchema: JsonObject): Compiled {
  const { $schema, ...schema } = inputSchema;
  const isOld = typeof $schema === "string" && /draft-0[3-7]/.test($schema);
  const drafts: readonly Draft[] = isOld ? ["draft07"] : ["draft2020", "draft07"];
  let problem = "";
  for (const draft of drafts) {
    const ajv = compilerOf(draft);
    try {
      return ajv.compile(schema);
    } catch (error) {
      problem ||= wordsOf(error);
    } finally {
      ajv.removeSchema(schema);
    }
  }
  return bounded(`the tool's input schema is not valid JSON Schema, so it cannot be called: ${problem}`);
}

function lenientRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function coerceAndValidate(validate: ValidateFunction, input: JsonObject): CheckedArgs {
  let args: JsonValue = input;
  for (let round = 0; ; round += 1) {
    if (validate(args)) return { ok: true, args: args as JsonObject };
    const errors = validate.errors ?? [];
    const next: JsonValue = round < MOST_ROUNDS ? coerced(args, errors) : args;
    if (next === args) return { ok: false, problem: describe(errors) };
    args = next;
  }
}

/** The arguments with each refused string replaced by the scalar that its schema asks for; the same object if there is none. */
function coerced(args: JsonValue, errors: readonly ErrorObject[]): JsonValue {
  const done = new Set<string>();
  let result = args;
  for (const error of errors) {
    if (error.keyword !== "type" || typeof error.data !== "string" || done.has(error.instancePath)) continue;
    const scalar = scalarFor(error.data, typesOf(error));
    if (scalar === undefined) continue;
    done.add(error.instancePath);
    result = replaced(result, segmentsOf(error.instancePath), scalar);
  }
  return result;
}

function scalarFor(text: string, types: readonly string[]): number | boolean | undefined {
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  // A number that a double cannot hold would silently become another one.
  if (Number.isInteger(number) ? !Number.isSafeInteger(number) : !Number.isFinite(number)) return undefined;
  if (types.includes("number") || (types.includes("integer") && Number.isInteger(number))) return number;
  return undefined;
}

function typesOf(error: ErrorObject): readonly string[] {
  const type: unknown = error.params["type"];
  return Array.isArray(type) ? type.map(String) : [String(type)];
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function replaced(value: JsonValue, path: readonly string[], leaf: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  if (Array.isArray(value)) {
    const members: readonly JsonValue[] = value;
    return members.map((member, at) => (String(at) === key ? replaced(member, rest, leaf) : member));
  }
  const object = value as JsonObject;
  return { ...object, [key]: replaced(object[key] ?? null, rest, leaf) };
}

/** One line per place in the arguments: where, what was expected, what came. */
function describe(errors: readonly ErrorObject[]): string {
  const places = new Map<string, ErrorObject[]>();
  const leaves = errors.filter((error) => !["anyOf", "oneOf", "if"].includes(error.keyword));
  for (const error of leaves.length > 0 ? leaves : errors) {
    const place = places.get(error.instancePath);
    if (place) place.push(error);
    else places.set(error.instancePath, [error]);
  }
  const lines = [...places].map(([path, issues]) => describePlace(path, issues));
  const hidden = lines.length - MOST_ISSUES;
  const shown = hidden > 0 ? [...lines.slice(0, MOST_ISSUES), `and ${hidden} more problems`] : lines;
  return bounded(shown.join("\n"));
}

function describePlace(path: string, issues: readonly ErrorObject[]): string {
  const where = ["arguments", ...segmentsOf(path)].join(".");
  const isChoice = issues.some((issue) => /\/(anyOf|oneOf)\//.test(issue.schemaPath));
  const expected = [...new Set(issues.map(expectation))].join(isChoice ? ", or " : ", and ");
  return `${where}: ${expected}; got ${shown(issues[0]?.data)}`;
}

function expectation(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case "type":
      return `must be ${typesOf(error).join(" or ")}`;
    case "required":
      return `must have the property ${shown(params["missingProperty"])}`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `must not have the property ${shown(params["additionalProperty"] ?? params["unevaluatedProperty"])}${knownProperties(error)}`;
    case "enum":
      return `must be one of ${shown(params["allowedValues"], 4 * LONGEST_VALUE)}`;
    case "const":
      return `must be ${shown(params["allowedValue"])}`;
    default:
      return error.message ?? `must satisfy "${error.keyword}"`;
  }
}

function knownProperties(error: ErrorObject): string {
  const properties: unknown = error.parentSchema?.["properties"];
  return isPlainObject(properties) ? ` (known: ${cut(Object.keys(properties).join(", "), 4 * LONGEST_VALUE)})` : "";
}

function shown(value: unknown, limit = LONGEST_VALUE): string {
  if (value === undefined) return "nothing";
  return cut(JSON.stringify(value), limit);
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

function bounded(text: string): string {
  return wellFormed(cut(text, LONGEST_PROBLEM));
}
