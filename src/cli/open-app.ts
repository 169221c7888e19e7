/** Opens the application for a command; what cannot be opened is the person's to repair, so it is bad usage. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { App, AppOptions } from "../app.ts";
import { StoreError, UsageError } from "../core/error.ts";
import { noteLine } from "./output.ts";
import { databasePath, existingDatabase, setting } from "./place.ts";
import type { DatabaseFlags } from "./place.ts";

export interface AppFlags extends DatabaseFlags {
  readonly durability?: "full" | "normal";
  readonly baseUrl?: string;
  readonly mcp?: string;
}

export interface Opening {
  /** The model of a session that is to be made: checked before there is a database. */
  readonly model?: string;
  /** Makes the database if there is none; otherwise that is an error. */
  readonly make?: boolean;
  /** Where MCP servers are started; asked for when the first one is. By default this folder. */
  readonly workspace?: () => string;
}

/** Throws UsageError. */
async function openApp(flags: AppFlags, opening: Opening = {}): Promise<App> {
  const { createApp } = await import("../app.ts");
  const baseUrl = flags.baseUrl ?? setting("DACAPO_BASE_URL");
  const { model, make = false, workspace = () => process.cwd() } = opening;
  const options: AppOptions = {
    databasePath: make ? databasePath(flags) : existingDatabase(flags),
    environment: process.env,
    home: homedir(),
    log: noteLine,
    get workspace() {
      return workspace();
    },
    ...(model !== undefined && { model }),
    ...(flags.durability !== undefined && { durability: flags.durability }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(flags.mcp !== undefined && { mcpFile: resolve(flags.mcp) }),
  };
  try {
    return await createApp(options);
  } catch (error) {
    if (error instanceof StoreError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Opens the application, and closes it whatever comes of the work. */
export async function withApp<T>(flags: AppFlags, work: (app: App) => Promise<T>, opening?: Opening): Promise<T> {
  const app = await openApp(flags, opening);
  try {
    return await work(app);
  } finally {
    await app.close().catch((error: unknown) => noteLine(`closing failed: ${String(error)}`));
  }
}
