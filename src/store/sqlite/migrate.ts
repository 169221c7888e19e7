/** Brings the tables of a file up to date, once, however many processes open it together. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import { StoreError } from "../../core/error.ts";

/** In the header of every file of ours: "daca". */
const APPLICATION_ID = 0x64616361;

interface Migration {
  readonly hash: string;
  readonly when: number;
  readonly statements: readonly string[];
}

/** Throws StoreError if the file belongs to another program or to a newer version; changes nothing. True if it is up to date. */
export function isCurrent(sqlite: Database, path: string, migrations: readonly Migration[]): boolean {
  const owner = sqlite.pragma("application_id", { simple: true });
  const tables = sqlite.prepare<[], { name: string }>("select name from sqlite_master where type = 'table'").all();
  if (owner !== APPLICATION_ID) {
    if (owner === 0 && tables.length === 0) return false;
    throw new StoreError(`${path} is a database of another program: nothing was changed; choose another file`);
  }
  const applied = sqlite.prepare<[], { hash: string }>("select hash from __drizzle_migrations").all();
  const known = new Set(migrations.map(({ hash }) => hash));
  if (applied.some(({ hash }) => !known.has(hash))) {
    throw new StoreError(
      `${path} was written by a newer version of dacapo: nothing was changed; use that version, or choose another file`,
    );
  }
  return applied.length === migrations.length;
}

/** Applies what is missing. To be called inside a transaction that holds the write lock; drizzle's own `migrate` races. */
export function applyMigrations(sqlite: Database, path: string, migrations: readonly Migration[]): void {
  if (isCurrent(sqlite, path, migrations)) return;
  sqlite.pragma(`application_id = ${APPLICATION_ID}`);
  sqlite.exec(
    "create table if not exists __drizzle_migrations (id integer primary key, hash text not null, created_at numeric)",
  );
  const applied = new Set(
    sqlite
      .prepare<[], { hash: string }>("select hash from __drizzle_migrations")
      .all()
      .map(({ hash }) => hash),
  );
  const record = sqlite.prepare("insert into __drizzle_migrations (hash, created_at) values (?, ?)");
  for (const { hash, when, statements } of migrations) {
    if (applied.has(hash)) continue;
    for (const statement of statements) sqlite.exec(statement);
    record.run(hash, when);
  }
}

/** The migrations that drizzle-kit generated, oldest first. */
export function readMigrations(): readonly Migration[] {
  const folder = migrationsFolder();
  const journal = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8")) as {
    readonly entries: readonly { readonly tag: string; readonly when: number }[];
  };
  return journal.entries.map(({ tag, when }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), "utf8");
    const hash = createHash("sha256").update(text).digest("hex");
    return { hash, when, statements: text.split("--> statement-breakpoint") };
  });
}

/** In the folder of the package, from the sources as from the bundle. */
function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isPackage(join(folder, "package.json"))) {
    const above = dirname(folder);
    if (above === folder) throw new StoreError("the migrations of dacapo are missing: install it again");
    folder = above;
  }
  return join(folder, "migrations");
}

function isPackage(manifest: string): boolean {
  if (!existsSync(manifest)) return false;
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly name?: string }).name === "dacapo";
}
