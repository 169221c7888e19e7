/** The arrows of the house, as a check: what each folder under src may import, type imports included. */

const at = (...names) => `^src/(?:${names.join("|")})(?:\\.ts$|/)`;

/** Some layers are several loose files: one layer all the same. */
const sessions = ["sessions", "report"];
const app = ["app", "instructions", "system", "this-process"];
const runner = ["runner", "driver", "leased-session", "live-feed", "running-step"];
const engine = ["core", "operations"];
const ports = ["store", "models", "tools", "policy", "config"];
const frontends = ["cli", "server", "web", "acp", "main"];

/** A layer may import itself and the layers named; everything else of ours is a breach. */
const layer = (name, allowed, why, members = [name]) => ({
  name: `${name}-arrows`,
  comment: why,
  severity: "error",
  from: { path: at(...members) },
  to: { path: "^src/", pathNot: at(...members, ...allowed) },
});

/** A package that has one home, so that nothing else comes to depend on it or pays for loading it. */
const home = (name, packages, folders) => ({
  name: `${name}-at-home`,
  comment: `${packages.join(", ")} belong to ${folders.join(", ")} alone.`,
  severity: "error",
  from: { path: "^src/", pathNot: at(...folders) },
  to: { path: `(?:^|/)node_modules/(?:@types/)?(?:${packages.join("|")})(?:/|$)` },
});

module.exports = {
  forbidden: [
    layer("core", [], "The engine knows nothing of what surrounds it."),
    layer("operations", ["core"], "An operation sees core's ports, never what implements them."),
    layer("store", ["core"], "A store saves what core's fold says."),
    layer("models", ["core"], "A model adapter implements core's port."),
    layer("tools", ["core"], "A tool implements core's port."),
    layer("policy", ["core"], "Permission rules judge calls, nothing else."),
    layer("config", ["core"], "Configuration is read here and composed in app."),
    layer("runner", ["core"], "The runner is given its store and pipeline.", runner),
    layer("sessions", ["core", ...runner], "The service that frontends use composes nothing.", sessions),
    layer(
      "app",
      [...engine, ...ports, ...runner, ...sessions],
      "The one place that composes; it knows no frontend.",
      app,
    ),
    layer("testing", [...engine, ...runner, "store", "tools", ...sessions, ...app], "The kit runs whole stories."),
    layer("index", [...engine, ...runner, ...sessions, ...app], "The root entry loads no driver and no provider."),
    {
      name: "frontend-arrows",
      comment: "A frontend speaks to the sessions that app made, in core's types.",
      severity: "error",
      from: { path: at(...frontends) },
      to: { path: "^src/", pathNot: at("core", ...sessions, ...app, "testing", ...frontends) },
    },
    {
      name: "testing-is-for-tests",
      comment: "Only the command that serves the fake model may load the test kit.",
      severity: "error",
      from: { path: "^src/", pathNot: `${at("testing")}|^src/cli/fake-model` },
      to: { path: at("testing") },
    },
    {
      name: "executable-is-a-leaf",
      comment: "Importing main.ts would run it; importing index.ts would go around the arrows.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/(?:main|index)\\.ts$" },
    },
    {
      name: "every-file-has-a-layer",
      comment: "A loose file under src that no rule names may import anything: give it a folder, or name it here.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: at(...engine, ...ports, ...runner, ...frontends, ...sessions, ...app, "testing", "index"),
      },
      to: {},
    },
    {
      name: "engine-needs-only-zod",
      severity: "error",
      from: { path: at("core", "operations", "index") },
      to: { dependencyTypesNot: ["local"], pathNot: "(?:^|/)node_modules/zod/" },
    },
    {
      name: "runner-needs-no-package",
      severity: "error",
      from: { path: at(...runner, "sessions") },
      to: { path: "(?:^|/)node_modules/", pathNot: "(?:^|/)node_modules/(?:zod|@types/node)/" },
    },
    home("database", ["better-sqlite3", "drizzle-orm"], ["store"]),
    home("providers", ["@ai-sdk"], ["models"]),
    home("mcp", ["@modelcontextprotocol"], ["tools", "testing"]),
    home("command-line", ["commander"], ["cli", "main"]),
    {
      name: "product-without-tests",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(?:test|bench|examples)/" },
    },
    {
      name: "no-circular",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "shipped-code-needs-shipped-packages",
      comment:
        "What src imports must be a dependency: development dependencies are not installed with the package. The schema is read by drizzle-kit alone.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/store/sqlite/schema.ts" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], pathNot: "node_modules/@types/" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(?:dist|bench/dist|bench/peers|coverage)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".cjs", ".json", ".d.ts"],
    },
  },
};
