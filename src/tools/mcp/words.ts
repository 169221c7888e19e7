/** What is said of an answer that a server should not have given: words for people and models, never a dump of it. */
import { z } from "zod";
import { wordsOf } from "../../core/error.ts";
import { isPlainObject } from "../../core/json.ts";

const LONGEST_COMPLAINT = 500;
/** Levels of a value beyond which it is left out: whoever walks through it later may run out of stack. */
export const DEEPEST = 200;

export function isMalformed(error: unknown): error is z.core.$ZodError {
  return error instanceof z.core.$ZodError;
}

/** The message of an error; of one about the shape of an answer, what is wrong where. */
export function complaintOf(error: unknown): string {
  if (!isMalformed(error)) return wordsOf(error);
  const complaint = z
    .prettifyError(error)
    .replaceAll(/\s*\n\s*→ /g, " ")
    .replaceAll(/✖ /g, "")
    .replaceAll("\n", "; ");
  return complaint.length > LONGEST_COMPLAINT ? `${complaint.slice(0, LONGEST_COMPLAINT)}…` : complaint;
}

export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((member) => {
      if (Array.isArray(member)) return member as readonly unknown[];
      return isPlainObject(member) ? Object.values(member) : [];
    });
  }
  return false;
}
