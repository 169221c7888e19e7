/**
 * Content once: what is large or repeated in an entry (message parts, arguments, system prompts, tool sets) is kept in
 * write-once rows named by the sha256 of their canonical JSON, and the entry holds the hash in its place.
 */
import type { EffectType } from "./effect.ts";
import type { Entry } from "./entry.ts";
import type { InputKind } from "./input.ts";
import { canonicalJson, isPlainObject } from "./json.ts";

/** sha256 of a text, as base64url without padding (43 characters). */
export type Sha256 = (text: string) => string;

export interface Content {
  readonly hash: string;
  readonly body: string;
}

/** Where in an effect there is content. */
const IN_EFFECT: Partial<Record<EffectType, readonly (readonly string[])[]>> = {
  "message.append": [
    ["message", "parts"],
    ["reply", "request", "system"],
    ["reply", "request", "tools"],
    ["reply", "request", "attention"],
  ],
  "call.request": [["requested"]],
  "call.admit": [["args"]],
};

const IN_INPUT: Partial<Record<InputKind, readonly (readonly string[])[]>> = {
  prompt: [["parts"]],
  steer: [["parts"]],
  decision: [["args"]],
  answer: [["value"]],
};

/** Hashes JSON values, remembering what it made of those that are asked about again and again. */
export interface Hasher {
  readonly sha256: Sha256;
  content(value: unknown): Content;
}

/** Values are remembered while at most so many others were hashed since they were last asked about. */
const REMEMBERED = 64;

export function createHasher(sha256: Sha256): Hasher {
  let recent = new Map<unknown, Content>();
  let older = new Map<unknown, Content>();
  const hashed = (value: unknown): Content => {
    const body = canonicalJson(value);
    return { hash: sha256(body), body };
  };
  return {
    sha256,
    content(value) {
      const known = recent.get(value);
      if (known) return known;
      const content = older.get(value) ?? hashed(value);
      if (recent.size === REMEMBERED) {
        older = recent;
        recent = new Map();
      }
      recent.set(value, content);
      return content;
    },
  };
}

/** The entry as the journal stores it (a plain object, to be written with JSON.stringify) and the content it refers to. */
export function detach(
  entry: Entry,
  hasher: Hasher,
): { readonly stored: object; readonly contents: readonly Content[] } {
  const contents: Content[] = [];
  const stored = mapContent(entry, (value) => {
    const content = hasher.content(value);
    contents.push(content);
    return content.hash;
  });
  return { stored, contents };
}

/** The entry with its content put back; `bodyOf` throws if there is no such row. Nothing is validated. */
export function attach(stored: object, bodyOf: (hash: string) => string): Entry {
  return mapContent(stored as Entry, (hash) => JSON.parse(bodyOf(hash as string)) as unknown) as Entry;
}

function mapContent(entry: Entry, change: (value: unknown) => unknown): object {
  if (entry.type === "input") {
    const paths = IN_INPUT[entry.input.type];
    return paths ? { ...entry, input: mapPaths(entry.input, paths, change) } : entry;
  }
  return {
    ...entry,
    effects: entry.effects.map((effect) => {
      const paths = IN_EFFECT[effect.type];
      return paths ? mapPaths(effect, paths, change) : effect;
    }),
  };
}

function mapPaths(object: object, paths: readonly (readonly string[])[], change: (value: unknown) => unknown): object {
  return paths.reduce((changed, path) => mapPath(changed, path, change), object);
}

function mapPath(object: object, path: readonly string[], change: (value: unknown) => unknown): object {
  const [key, ...rest] = path;
  if (key === undefined || !(key in object)) return object;
  const member = (object as Record<string, unknown>)[key];
  if (member === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: change(member) };
  return isPlainObject(member) ? { ...object, [key]: mapPath(member, rest, change) } : object;
}
