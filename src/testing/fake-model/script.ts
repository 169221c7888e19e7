/** The fake model's rules as a JSON file, for those who start it from the command line. */
import { z } from "zod";
import { HoldPoint, Reply, strictShape } from "./reply.ts";
import type { Matcher } from "./rules.ts";
import { startFakeModel, type FakeModel } from "./server.ts";

const pattern = strictShape({
  regex: z.string().refine(isRegex, { error: "expected a regular expression of JavaScript" }),
  flags: z
    .string()
    .refine((flags) => isRegex("", flags), { error: "expected flags of a JavaScript regular expression" })
    .optional(),
});

const when = z
  .union([z.string(), pattern], { error: 'expected a text, or {"regex": "…"}' })
  .describe(
    "A text that the newest message contains (any message contains the empty text), or a regular expression it matches.",
  );

const uses = z
  .union([z.int().min(1), z.literal("always")], { error: 'expected a whole number of at least 1, or "always"' })
  .describe("How many requests the rule answers; 1 if left out.");

const ScriptedRule = strictShape({ when, times: uses.optional(), hold: HoldPoint.optional(), reply: Reply });

/** The format of a script: the rules of the builder as data. */
export const fakeModelScript = strictShape({
  $schema: z.string().optional(),
  rules: z.array(ScriptedRule).describe("Tried in order; the first with a use left that matches gives the reply."),
  otherwise: Reply.optional().describe("The reply when no rule matches; without it such a request is refused."),
});
export type FakeModelScript = z.infer<typeof fakeModelScript>;

/** A script that is not one; the message names each place, the value found there and what was expected. */
export class FakeModelScriptError extends Error {
  override readonly name = "FakeModelScriptError";
}

/** Checks a script read from JSON. Throws FakeModelScriptError. */
export function parseFakeModelScript(script: unknown): FakeModelScript {
  const parsed = fakeModelScript.safeParse(script);
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.flatMap(leafIssues).map((issue) => complaint(issue, script));
  throw new FakeModelScriptError(`The script of the fake model is not valid:\n${complaints.join("\n")}`);
}

/** Starts a fake model with the rules of a script. Throws FakeModelScriptError before anything is started. */
export async function startFakeModelFromScript(script: unknown, options: { port?: number } = {}): Promise<FakeModel> {
  const { rules, otherwise } = parseFakeModelScript(script);
  const model = await startFakeModel(options);
  for (const rule of rules) {
    const builder = model.on(matcher(rule.when));
    if (rule.times === "always") builder.always();
    else builder.times(rule.times ?? 1);
    const answer = builder.answers(rule.reply);
    if (rule.hold !== undefined) answer.hold(rule.hold);
  }
  if (otherwise !== undefined) model.otherwise().answers(otherwise);
  return model;
}

/** The JSON schema of a script, as published in docs/fake-model.schema.json. */
export function fakeModelScriptJsonSchema(): object {
  return z.toJSONSchema(fakeModelScript, { io: "input" });
}

function matcher(condition: FakeModelScript["rules"][number]["when"]): Matcher {
  return typeof condition === "string" ? condition : new RegExp(condition.regex, condition.flags);
}

function isRegex(regex: string, flags?: string): boolean {
  try {
    new RegExp(regex, flags);
    return true;
  } catch {
    return false;
  }
}

/** In a union without words of its own, the complaint of the branch that got furthest is the one worth reading. */
function leafIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.message !== "Invalid input" || issue.errors.length === 0) return [issue];
  const furthest = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
  return furthest.flatMap((inner) => leafIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function complaint(issue: z.core.$ZodIssue, script: unknown): string {
  const path = issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    script,
  );
  const value = JSON.stringify(found) ?? "nothing";
  return `- ${pathText(path)}: ${value.length > 120 ? `${value.slice(0, 120)}…` : value} given; ${issue.message}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return (
    path
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
      .join("")
      .replace(/^\./, "") || "script"
  );
}
