/** Composes store, models, tools and pipeline into the sessions service; what is heavy is loaded when it is first needed. */
import { join } from "node:path";
import type { Clock } from "./core/clock.ts";
import { createHasher } from "./core/content.ts";
import type { NewId } from "./core/ids.ts";
import { wellFormed } from "./core/json.ts";
import type { Models } from "./core/model.ts";
import type { Pipeline } from "./core/pipeline.ts";
import type { Store } from "./core/store.ts";
import type { ToolHost } from "./core/tool.ts";
import type { RunnerPorts } from "./driver.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import type { PipelinePorts } from "./operations/pipeline.ts";
import type { StopHook } from "./operations/stop-hook.ts";
import { createSessions } from "./sessions.ts";
import type { Sessions } from "./sessions.ts";
import { sha256 } from "./store/hash.ts";
import type { SqliteOptions } from "./store/sqlite/index.ts";
import { randomId, systemClock } from "./system.ts";
import { isGone, thisProcess } from "./this-process.ts";
import { isProcessRunning } from "./tools/process-identity.ts";
import { killProcessTree } from "./tools/process-tree.ts";
import type { McpConfig } from "./tools/mcp/config.ts";
import type { McpHost } from "./tools/mcp/host.ts";
import { redactor, secretsOf } from "./tools/secrets.ts";
import type { Secret } from "./tools/secrets.ts";

/** What an app is made of. A frontend writes it once; only what names a path or the environment has no default. */
export interface AppOptions {
  readonly databasePath: string;
  readonly durability?: "full" | "normal";
  /** Provider keys are looked up here; tools inherit what is no secret. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home folder, for the person's own skills. */
  readonly home: string;
  /** The folder that MCP servers are started in. */
  readonly workspace: string;
  /** In place of a provider's own address. */
  readonly baseUrl?: string;
  /** Checked before the database is opened, so that a model that cannot be asked leaves no file behind. */
  readonly model?: string;
  /** A file with `mcpServers`. */
  readonly mcpFile?: string;
  readonly stopHooks?: readonly StopHook[];
  /** A line for people, on what goes on beside the conversation. */
  readonly log?: (line: string) => void;
  /** In place of the ones of this machine: what tests and benchmarks decide themselves. */
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly models?: Models;
  readonly tools?: ToolHost;
  readonly openStore?: (options: SqliteOptions) => Promise<Store>;
  readonly pipeline?: (ports: PipelinePorts) => Pipeline;
}

/** Made by `createApp`, for one frontend, which owns it: `close` ends the MCP servers and leaves one tidy file. */
export interface App {
  readonly sessions: Sessions;
  readonly store: Store;
  /** Throws UsageError if the model cannot be asked (no key, unknown provider) or an MCP server does not start. Writes nothing. */
  check(model: string): Promise<void>;
  /** What the runner and the pipeline are made of, for whoever drives steps alone. */
  runner(): Promise<RunnerPorts>;
  close(): Promise<void>;
}

/** Opens the database, making it if there is none. Throws StoreError or UsageError in words for people. */
export async function createApp(options: AppOptions): Promise<App> {
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomId;
  const config = await mcpConfig(options);
  const servers = Object.entries(config?.secrets ?? {}).map(([name, value]) => ({ name, value }));
  const clean = doorFor(secretsOf(options.environment, servers));
  const reach = once(() => openOutside(options, { clock, config }));
  const abandon = async (error: unknown): Promise<never> => {
    await closeOutside(reach);
    throw error;
  };
  if (options.model !== undefined) await checkModel(reach, options.model).catch(abandon);
  const openStore = options.openStore ?? (await import("./store/sqlite/index.ts")).openSqliteStore;
  const store = await openStore({
    path: options.databasePath,
    durability: options.durability ?? "full",
    now: () => clock.now(),
    isGone,
  }).catch(abandon);
  const parts = once(async () => {
    const outside = await reach.get();
    return { ...outside, pipeline: await buildPipeline(options, store, outside) };
  });
  const runner = async (): Promise<RunnerPorts> => {
    const { pipeline } = await parts.get();
    return { store, pipeline, clock, owner: thisProcess(), newId, hasher: createHasher(sha256), clean };
  };
  return {
    store,
    runner,
    sessions: createSessions({
      store,
      clock,
      newId,
      clean,
      runner,
      pipeline: async () => (await parts.get()).pipeline,
    }),
    check: (model) => checkModel(reach, model),
    async close() {
      await closeOutside(reach);
      await store.close();
    },
  };
}

/** What the pipeline reaches the outside through. */
interface Outside {
  readonly models: Models;
  readonly tools: ToolHost;
  readonly mcp: McpHost | undefined;
}

async function checkModel(reach: Once<Outside>, model: string): Promise<void> {
  const { models, mcp } = await reach.get();
  await models(model);
  await mcp?.connectAll();
}

async function closeOutside(reach: Once<Outside>): Promise<void> {
  const outside = await reach.known()?.catch(() => undefined);
  await outside?.mcp?.close();
}

/** Throws UsageError if a model cannot be meant; whether it can be asked is for `App.check`. */
export async function checkModelId(id: string): Promise<void> {
  const { parseModelId } = await import("./models/model-id.ts");
  parseModelId(id);
}

/** The project of the built-in demo, written into a folder, and the prompt that its model knows how to answer. */
export async function prepareDemo(folder: string): Promise<string> {
  const { DEMO_PROMPT, prepareDemoWorkspace } = await import("./models/demo/workspace.ts");
  await prepareDemoWorkspace(folder);
  return DEMO_PROMPT;
}

interface Given {
  readonly clock: Clock;
  readonly config: McpConfig | undefined;
}

async function openOutside(options: AppOptions, { clock, config }: Given): Promise<Outside> {
  const mcp = config && (await openMcp(options, config));
  const models = options.models ?? (await openModels(options, clock));
  const { createBuiltinTools } = await import("./tools/builtin-tools.ts");
  const { combineHosts } = await import("./tools/combine-hosts.ts");
  const builtin =
    options.tools ?? createBuiltinTools({ environment: options.environment, readRoots: skillFolders(options.home) });
  const tools = mcp ? combineHosts(builtin, mcp) : builtin;
  return { models, tools, mcp };
}

/** What text from outside goes through once: it is well-formed afterwards, and no secret is in it. */
function doorFor(secrets: readonly Secret[]): (text: string) => string {
  const redact = redactor(secrets);
  return (text) => redact(wellFormed(text));
}

async function openModels(options: AppOptions, clock: Clock): Promise<Models> {
  const { createModels } = await import("./models/models.ts");
  const { environment, baseUrl } = options;
  return createModels({ environment, now: () => clock.now(), ...(baseUrl !== undefined && { baseUrl }) });
}

/** The file alone, no server: its mistakes are told before anything is written, and its secrets are known to every door. */
async function mcpConfig({ mcpFile, environment }: AppOptions): Promise<McpConfig | undefined> {
  if (mcpFile === undefined) return undefined;
  const { loadMcpConfig } = await import("./tools/mcp/config.ts");
  return loadMcpConfig(mcpFile, environment);
}

async function openMcp({ workspace, log }: AppOptions, { servers, secrets }: McpConfig): Promise<McpHost> {
  const { createMcpHost } = await import("./tools/mcp/host.ts");
  return createMcpHost({ servers, secrets, workspace, ...(log && { log }) });
}

async function buildPipeline(options: AppOptions, store: Store, { models, tools }: Outside): Promise<Pipeline> {
  const pipeline = options.pipeline ?? (await import("./operations/pipeline.ts")).standardPipeline;
  const { createSkillLibrary } = await import("./tools/skill-library.ts");
  return pipeline({
    models,
    instructions: INSTRUCTIONS,
    tools,
    artifacts: store.artifacts,
    processes: {
      isRunning: isProcessRunning,
      end: async (process, callId) => (await killProcessTree({ ...process, callId })).left === 0,
    },
    skills: createSkillLibrary({ folders: skillFolders(options.home) }),
    stopHooks: options.stopHooks ?? [],
  });
}

/** The person's own skills. */
function skillFolders(home: string): readonly string[] {
  return [join(home, ".dacapo", "skills"), join(home, ".agents", "skills")];
}

interface Once<T> {
  get(): Promise<T>;
  known(): Promise<T> | undefined;
}

/** Makes a thing when it is first asked for; a failure is forgotten, so that the next one who asks tries again. */
function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  return {
    known: () => made,
    get() {
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return made;
    },
  };
}
