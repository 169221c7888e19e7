/** Reads the file that names the MCP servers, so that every mistake in it is told before anything starts. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { UsageError } from "../../core/error.ts";

/** One server: a `command` to start and speak with over stdio, or the `url` of a Streamable HTTP server. */
export const McpServerEntry = z.strictObject({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).readonly().optional(),
  env: z.record(z.string(), z.string()).readonly().optional(),
  /** Where the process starts; relative to the configuration file. By default the session's workspace. */
  cwd: z.string().min(1).optional(),
  url: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).readonly().optional(),
  /** Whether what the server says of its tools (read-only, idempotent) is believed. */
  trustAnnotations: z.boolean().optional(),
  /** How long a call may go without progress. */
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  disabled: z.boolean().optional(),
});
export type McpServerEntry = Readonly<z.infer<typeof McpServerEntry>>;

export interface McpConfig {
  /** In the order of the file, without the disabled ones, all variables expanded. */
  readonly servers: Readonly<Record<string, McpServerEntry>>;
  /** Values that must never be shown or stored, by the name that stands for them. */
  readonly secrets: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ConfigFile = z.strictObject({ mcpServers: z.record(z.string(), z.unknown()) });
const SERVER_NAME = /^[A-Za-z0-9_-]{1,32}$/;
const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;
const SHORTEST_SECRET = 8;

/** Throws a UsageError that names the file, the server, the value and the next move. */
export async function loadMcpConfig(path: string, env: Environment = process.env): Promise<McpConfig> {
  const file = ConfigFile.safeParse(await readJson(path));
  if (!file.success) throw new UsageError(`${path}: ${problemsOf(file.error)}. The file must be {"mcpServers": {…}}.`);
  const servers: Record<string, McpServerEntry> = {};
  const secrets: Record<string, string> = {};
  for (const [name, raw] of Object.entries(file.data.mcpServers)) {
    const entry = parseEntry(raw, { path, name });
    if (entry.disabled === true) continue;
    const expanded = expandEntry(entry, { path, name, env });
    servers[name] =
      expanded.cwd === undefined ? expanded : { ...expanded, cwd: resolve(dirname(resolve(path)), expanded.cwd) };
    Object.assign(secrets, secretsOf(entry, expanded, env));
  }
  return { servers, secrets };
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${String(error)}). Check the path of the MCP configuration.`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${String(error)}. Correct the file at that place.`, { cause: error });
  }
}

interface Place {
  readonly path: string;
  readonly name: string;
}

function mistake({ path, name }: Place, what: string): UsageError {
  return new UsageError(`${path}: MCP server "${name}": ${what}`);
}

function parseEntry(raw: unknown, place: Place): McpServerEntry {
  if (!SERVER_NAME.test(place.name)) {
    throw mistake(
      place,
      "a server name is 1 to 32 of A-Z a-z 0-9 _ -. Rename it; it becomes part of its tools' names.",
    );
  }
  const parsed = McpServerEntry.safeParse(raw);
  if (!parsed.success) {
    const known = Object.keys(McpServerEntry.shape).join(", ");
    throw mistake(place, `${problemsOf(parsed.error)}. The known keys are ${known}.`);
  }
  const entry = parsed.data;
  if ((entry.command === undefined) === (entry.url === undefined)) {
    throw mistake(
      place,
      'give either "command" (a process to start) or "url" (a running server), not both and not none.',
    );
  }
  const foreign = entry.url === undefined ? (["headers"] as const) : (["args", "env", "cwd"] as const);
  const unused = foreign.find((key) => entry[key] !== undefined);
  if (unused !== undefined) {
    throw mistake(
      place,
      `"${unused}" has no meaning beside "${entry.url === undefined ? "command" : "url"}". Remove it.`,
    );
  }
  return entry;
}

function problemsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const where = issue.path.length > 0 ? `"${issue.path.join(".")}": ` : "";
      const keys = issue.code === "unrecognized_keys" ? issue.keys.map((key) => `"${key}"`).join(", ") : "";
      return keys === "" ? `${where}${issue.message}` : `${where}unknown key ${keys}`;
    })
    .join("; ");
}

function expandEntry(entry: McpServerEntry, place: Place & { readonly env: Environment }): McpServerEntry {
  const expand = (text: string): string =>
    text.replace(/\$\$\{|\$\{([^}]*)\}?/g, (whole: string, name: string | undefined) => {
      if (name === undefined) return "${";
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        throw mistake(place, `"${whole}" is not a variable. Write \${NAME}, or $\${ for a literal \${.`);
      }
      const value = place.env[name];
      if (value === undefined) {
        throw mistake(place, `the environment variable ${name} is not set. Set it, or set "disabled": true.`);
      }
      return value;
    });
  const each = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, expand(value)]));
  const url = entry.url === undefined ? undefined : expand(entry.url);
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
    throw mistake(place, `"url" is ${JSON.stringify(entry.url)}, which is not an http or https address. Correct it.`);
  }
  return {
    ...entry,
    ...(entry.args && { args: entry.args.map(expand) }),
    ...(entry.env && { env: each(entry.env) }),
    ...(entry.headers && { headers: each(entry.headers) }),
    ...(url !== undefined && { url }),
  };
}

/** What is named like a secret, in the file or in the variables that it uses; short values would redact ordinary words. */
function secretsOf(entry: McpServerEntry, expanded: McpServerEntry, env: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, value] of Object.entries({ ...expanded.env, ...expanded.headers })) {
    if (SECRET_NAME.test(key)) found[key] = value.replace(/^(Bearer|Basic|token) +/i, "");
  }
  for (const [, name] of JSON.stringify(entry).matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)) {
    const value = name === undefined ? undefined : env[name];
    if (name !== undefined && value !== undefined && SECRET_NAME.test(name)) found[name] = value;
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value.length >= SHORTEST_SECRET));
}
