/** Fails when the schema says something that no migration does yet: generates into a copy, which must not change. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const copy = mkdtempSync(join(tmpdir(), "dacapo-migrations-"));
const files = () => readdirSync(copy, { recursive: true }).sort().join("\n");

cpSync("migrations", copy, { recursive: true });
const before = files();
const out = relative(".", copy); // drizzle-kit takes an absolute path for a relative one
const env = { ...process.env, MIGRATIONS_OUT: out };
const { status, stdout, stderr } = spawnSync("node_modules/.bin/drizzle-kit", ["generate"], { env, encoding: "utf8" });
const changed = files() !== before;
rmSync(copy, { recursive: true });

// drizzle-kit exits 0 after some failures too (a renamed column without a terminal), so its own words are looked at.
if (status !== 0 || changed || !stdout.includes("nothing to migrate")) {
  console.error(
    `${stdout}${stderr}\nThe schema and migrations/ differ: run npm run db:generate and commit the result.`,
  );
  process.exitCode = 1;
} else console.log("migrations match the schema");
