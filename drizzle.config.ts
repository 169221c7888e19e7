/** How `npm run db:generate` turns the schema into the next SQL migration. Written migrations are never edited. */
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/store/sqlite/schema.ts",
  // Elsewhere only for scripts/migrations-check.mjs.
  out: process.env["MIGRATIONS_OUT"] ?? "./migrations",
  casing: "snake_case",
});
