/** Reads a SKILL.md by the Agent Skills specification: YAML front matter that names and describes it, then instructions. */
import { parse } from "yaml";
import { z } from "zod";
import { wellFormed } from "../core/json.ts";

/** `name`: lowercase letters, digits and single hyphens between them (agentskills.io/specification). */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*\r?(?:\n|$)/;

/** Optional fields of the specification and of others are allowed and not read. */
const Fields = z.object(
  {
    name: z
      .string({ error: "name is missing" })
      .max(LONGEST_NAME, `name is longer than ${LONGEST_NAME} characters`)
      .regex(NAME, "name may have only lowercase letters, digits and single hyphens between them"),
    description: z
      .string({ error: "description is missing" })
      .trim()
      .min(1, "description is empty")
      .refine((text) => Array.from(text).length <= LONGEST_DESCRIPTION, {
        error: `description is longer than ${LONGEST_DESCRIPTION} characters`,
      }),
  },
  { error: "its front matter has no fields" },
);

export type SkillFile =
  | { readonly ok: true; readonly name: string; readonly description: string; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Nothing in the front matter is executed. `folder` is the name of the skill's folder, which its name has to be. */
export function parseSkillFile(source: string, folder: string): SkillFile {
  const matter = FRONT_MATTER.exec(source);
  if (!matter) return problem("it does not begin with front matter between two lines of ---");
  let fields: unknown;
  try {
    fields = parse(matter[1] ?? "", { logLevel: "error" });
  } catch (error) {
    const [why = "cannot be parsed"] = error instanceof Error ? error.message.split("\n") : [];
    return problem(`its front matter is not YAML: ${why} (quote a value that holds a colon)`);
  }
  const parsed = Fields.safeParse(fields);
  if (!parsed.success) return problem(parsed.error.issues.map(({ message }) => message).join("; "));
  const { name, description } = parsed.data;
  if (name !== folder) return problem(`its name "${name}" is not that of its folder "${folder}"`);
  return { ok: true, name, description: wellFormed(description), text: source.slice(matter[0].length).trim() };
}

function problem(text: string): SkillFile {
  return { ok: false, problem: wellFormed(text) };
}
