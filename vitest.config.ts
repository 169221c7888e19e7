/** How the tests run: real files, real processes and real SQLite, so in forked workers, and never retried. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/calculator.setup.ts", "test/cli.setup.ts"],
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 20_000,
    retry: 0,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
