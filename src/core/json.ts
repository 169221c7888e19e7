/** JSON as the engine stores it: one canonical text for one value, so that a hash means the value. */
import { z } from "zod";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
/** Not `z.json`, which leaves out a member that is named `__proto__`: what was stored could not be read again. */
export const JsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => isPlainObject(value) && isJson(value),
  "expected a JSON object",
);
export const JsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>(isJson, "expected a JSON value");

/** The JSON text of a value with the keys of every object in order; what is not JSON (undefined members, functions) is left out as JSON.stringify does. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(allInKeyOrder(value));
}

/** A copy rather than a replacer, which is called for every member and costs five times as much. */
function allInKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allInKeyOrder);
  if (!isPlainObject(value) || typeof value["toJSON"] === "function") return value;
  const ordered: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted()) {
    const member = allInKeyOrder(value[key]);
    if (key === "__proto__") Object.defineProperty(ordered, key, { value: member, enumerable: true });
    else ordered[key] = member;
  }
  return ordered;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (isPlainObject(value)) return Object.values(value).every(isJson);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function inKeyOrder(object: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(object);
  if (keys.every((key, at) => at === 0 || (keys[at - 1] as string) <= key)) return object;
  return Object.fromEntries(keys.toSorted().map((key) => [key, object[key]]));
}

/** The text with every lone surrogate replaced by U+FFFD: what is stored and sent is well-formed Unicode. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/**
 * The value with every text in it changed, keys included. Keys are in order, as they are when the value is read back from a
 * store: what a model is sent is the same, to the byte, before and after a restart.
 */
export function mapText(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapText(item, change));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [change(key), mapText(member, change)] as const);
  return inKeyOrder(Object.fromEntries(members)) as JsonObject;
}
