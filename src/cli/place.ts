/** Where things are: the database, the workspace, and what a person gave as text. */
import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { UsageError } from "../core/error.ts";

export interface DatabaseFlags {
  readonly db?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The flag, else DACAPO_DB, else a file in the platform's folder for data. */
export function databasePath({ db }: DatabaseFlags): string {
  const told = db ?? setting("DACAPO_DB");
  return told === undefined ? join(dataFolder(process.platform, process.env), "dacapo.db") : resolve(told);
}

/** Throws UsageError if there is no such file, for a command that only looks must not make one. */
export function existingDatabase(flags: DatabaseFlags): string {
  const path = databasePath(flags);
  if (existsSync(path)) return path;
  throw new UsageError(
    `There is no database ${path}: check the path, or start with \`dacapo run PROMPT\`, which makes one.`,
  );
}

/** An environment variable; one that is set to nothing is not set. */
export function setting(name: string): string | undefined {
  return process.env[name] || undefined;
}

export function dataFolder(platform: NodeJS.Platform, environment: Environment, home = homedir()): string {
  if (platform === "darwin") return join(home, "Library", "Application Support", "dacapo");
  if (platform === "win32") return join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), "dacapo");
  // The specification of it says that a relative one is invalid and is to be ignored.
  const told = environment["XDG_DATA_HOME"];
  return join(told !== undefined && isAbsolute(told) ? told : join(home, ".local", "share"), "dacapo");
}

/** The absolute path of a folder without links, so that one folder has one name. Throws UsageError if it is none. */
export async function workspaceAt(cwd: string | undefined): Promise<string> {
  const path = resolve(cwd ?? ".");
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`${path} is not a folder: give one with --cwd.`);
  return realpath(path);
}

/** The text itself, or all of stdin for "-". Throws UsageError if there is nothing but space in it. */
export async function givenText(text: string, what: string): Promise<string> {
  const given = text === "-" ? await stdinText() : text;
  if (given.trim() === "") throw new UsageError(`The ${what} is empty.`);
  return given;
}

async function stdinText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
