/** What outlives every process of a story: its folders, its fake model, its calculator, its clock and its ids. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createApp } from "../../app.ts";
import type { App, AppOptions } from "../../app.ts";
import type { NewId, SessionId } from "../../core/ids.ts";
import type { HostedTool } from "../../core/tool.ts";
import { createBuiltinTools } from "../../tools/builtin-tools.ts";
import { combineHosts } from "../../tools/combine-hosts.ts";
import { secretsOf } from "../../tools/secrets.ts";
import { startCalculatorHttp } from "../calculator/http.ts";
import type { CalculatorHttp } from "../calculator/http.ts";
import { startFakeModel } from "../fake-model/server.ts";
import type { FakeModel, FakeModelOptions } from "../fake-model/server.ts";
import type { StoryOptions } from "./options.ts";
import { createProps } from "./props.ts";
import { createTold } from "./told.ts";
import type { Told } from "./told.ts";
import { createVirtualClock } from "./virtual-clock.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface World {
  readonly options: StoryOptions;
  readonly workspace: string;
  readonly home: string;
  readonly database: string;
  /** The calculator's journal of effects. */
  readonly effectsFile: string;
  readonly model: FakeModel;
  readonly clock: VirtualClock;
  readonly told: Told;
  readonly props: ReturnType<typeof createProps>;
  readonly newId: NewId;
  /** Values of the environment that must be nowhere, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The session that the story is about. */
  readonly sessionId: SessionId;
  /** One more process: everything in it is new. */
  openApp(openStore?: AppOptions["openStore"]): Promise<App>;
  close(): Promise<void>;
}

const KEYS = { ANTHROPIC_API_KEY: "sk-ant-story-0123456789", OPENAI_COMPATIBLE_API_KEY: "sk-story-9876543210" };
const DEFAULT_MODELS = { anthropic: "claude-sonnet-4-5", "openai-compatible": "story-model" } as const;
const INFERENCES = 50;

export async function createWorld(options: StoryOptions, choose?: FakeModelOptions["choose"]): Promise<World> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "dacapo-story-")));
  const place = { workspace: join(folder, "workspace"), home: join(folder, "home") };
  await Promise.all([writeFiles(place.workspace, options.files ?? {}), writeFiles(place.home, options.home ?? {})]);
  const disk = await fastFolder(folder);
  const effectsFile = join(disk, "effects.log");
  const model = await startFakeModel(choose && { choose });
  const calculator = options.calculator && (await startCalculatorHttp({ log: effectsFile }));
  const mcpFile = await writeMcpFile(join(folder, "mcp.json"), options, calculator);
  const clock = createVirtualClock();
  const newId = countingIds();
  const props = createProps();
  const environment = { PATH: process.env["PATH"] ?? "", HOME: place.home, ...KEYS, ...options.environment };
  const database = join(disk, "sessions.db");
  const shared = { ...place, databasePath: database, durability: "normal" as const, environment, clock, newId };
  const openApp = (openStore?: AppOptions["openStore"]): Promise<App> =>
    createApp({
      ...shared,
      baseUrl: model.url,
      ...(mcpFile !== undefined && { mcpFile }),
      ...(options.stopHooks && { stopHooks: options.stopHooks(props) }),
      ...(options.tools && { tools: withBuiltin(options.tools(props), environment) }),
      ...(options.models && { models: options.models() }),
      ...(options.pipeline && { pipeline: options.pipeline }),
      ...(openStore && { openStore }),
    });
  const sessionId = await createSession(openApp, place.workspace, options);
  return {
    options,
    ...place,
    database,
    effectsFile,
    model,
    clock,
    told: createTold(),
    props,
    newId,
    secrets: Object.fromEntries(secretsOf(environment).map(({ name, value }) => [name, value])),
    sessionId,
    openApp,
    async close() {
      await Promise.all([model.close(), calculator?.close()]);
      await Promise.all([folder, disk].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}

/** A folder in memory where the system has one: most of what a story takes is waiting for a disk that it does not need. */
async function fastFolder(otherwise: string): Promise<string> {
  return await mkdtemp("/dev/shm/dacapo-story-").catch(() => otherwise);
}

async function createSession(
  openApp: () => Promise<App>,
  workspace: string,
  { protocol = "anthropic", modelName = DEFAULT_MODELS[protocol], mode = "auto", limits }: StoryOptions,
): Promise<SessionId> {
  const app = await openApp();
  const created = await app.sessions.create({
    workspace,
    model: `${protocol}/${modelName}`,
    mode,
    limits: limits ?? { inferences: INFERENCES },
  });
  await app.close();
  return created.session.id;
}

/** Counted, and so the same in every run of a mode; never repeated, whichever process asks. */
function countingIds(): NewId {
  let count = 0;
  return <T extends string>() => {
    count += 1;
    return `story-${count}` as T;
  };
}

function withBuiltin(made: readonly HostedTool[], environment: Readonly<Record<string, string>>) {
  return combineHosts(createBuiltinTools({ environment }), { tools: () => Promise.resolve(made) });
}

async function writeMcpFile(
  path: string,
  { calculator, mcpServers }: StoryOptions,
  running: CalculatorHttp | undefined,
): Promise<string | undefined> {
  if (!running && !mcpServers) return undefined;
  const entry = running && { calculator: { ...running.entry, trustAnnotations: calculator === "trusted" } };
  await writeFile(path, JSON.stringify({ mcpServers: { ...entry, ...mcpServers } }));
  return path;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
