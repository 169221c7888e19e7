/** Performs a story once: the world, a machine that runs it, the agent for its body, and what is left to check. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Session } from "../../core/session.ts";
import { calculatorEffects } from "../calculator/journal.ts";
import type { CalculatorEffect } from "../calculator/journal.ts";
import { createActs } from "./agent.ts";
import type { Agent, ModeName } from "./agent.ts";
import { effectLine, effectsByCall } from "./effect-lines.ts";
import type { Cut } from "./killed-machine.ts";
import { entriesOf, look } from "./look.ts";
import type { Recall } from "./memory.ts";
import type { Machine } from "./machine.ts";
import { createRuns } from "./running.ts";
import type { Runs } from "./running.ts";
import { transcript } from "./transcript.ts";
import { wholeSession } from "./whole-session.ts";
import type { World } from "./world.ts";

export interface StagePorts {
  readonly mode: ModeName;
  readonly world: World;
  readonly machine: Machine;
  readonly cut: () => Cut | undefined;
  readonly recall: Recall;
}

export interface Stage {
  readonly agent: Agent;
  readonly runs: Runs;
}

export function createStage(ports: StagePorts): Stage {
  const { mode, world, machine, cut, recall } = ports;
  const runs = createRuns({
    run: (signal) => machine.run(signal),
    wasCut: () => cut() !== undefined,
    shown: (text) => world.told.shown(text),
  });
  const session = (): Promise<Session> =>
    look(world, async (app) => wholeSession(await app.sessions.open(world.sessionId)));
  const client: Agent["client"] = (act) => machine.client(act);
  const acts = createActs({ ...world, client, session });
  const effects = (): readonly CalculatorEffect[] => calculatorEffects(world.effectsFile);
  const start: Agent["start"] = (text) => {
    const sent = text === undefined ? Promise.resolve() : acts.queue(text);
    return runs.start(sent);
  };
  const agent: Agent = {
    mode,
    model: world.model,
    clock: world.clock,
    sessionId: world.sessionId,
    workspace: world.workspace,
    database: world.database,
    get cut() {
      return cut();
    },
    get report() {
      return runs.report;
    },
    get outcome() {
      return runs.report?.outcome;
    },
    gate: (name) => world.props.gate(name),
    counted: (what) => world.props.counted(what),
    ...acts,
    start,
    prompt: (text) => start(text),
    run: () => start(),
    session,
    entries: () => entriesOf(world),
    everyEffect: () => effects().map(effectLine),
    effects: async () => recall.answer("effects", effectsByCall(await session(), effects())),
    requests: () => world.model.requests.filter((_request, at) => !cut()?.requests.includes(at)),
    transcript: async () => recall.answer("transcript", await transcriptOf(world)),
    read: async (path) => recall.answer("read", await readFile(join(world.workspace, path), "utf8")),
  };
  return { agent, runs };
}

function transcriptOf(world: World): Promise<string> {
  return look(world, async ({ sessions, store }) => {
    const entries = await store.entries(world.sessionId, 0, Number.MAX_SAFE_INTEGER);
    return transcript(await sessions.open(world.sessionId), { entries, home: world.home });
  });
}
