/** The hashes of a journal, as base64url outside the tables: of content, and of entries chained one to the next. */
import { hash } from "node:crypto";
import type { Sha256 } from "../core/content.ts";

export const sha256: Sha256 = (text) => hash("sha256", text, "base64url");

/** The hash before the first entry. */
export const NO_HASH = "";

/** The hash of an entry's text that follows an entry with the hash `previous`. */
export function chainedHash(previous: string, text: string): string {
  return sha256(previous + text);
}
