/** What must be true after every story, in every mode. */
import type { App } from "../../app.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import { calculatorEffects } from "../calculator/journal.ts";
import { callsHaveResults } from "./checks/calls.ts";
import type { Check, Evidence } from "./checks/check.ts";
import { miscounted } from "./checks/effects.ts";
import { noBugIsReported, oneReportARun, shownIsStored } from "./checks/events.ts";
import { claimsAreReproducible } from "./checks/explain.ts";
import { exportIsWhole } from "./checks/exports.ts";
import { inputsAreHeard } from "./checks/inputs.ts";
import { journalIsTheTruth } from "./checks/journal.ts";
import { badRequests } from "./checks/requests.ts";

import { textIsSound } from "./checks/text.ts";
import { look } from "./look.ts";
import type { Machine } from "./machine.ts";
import { wholeSession } from "./whole-session.ts";
import type { World } from "./world.ts";

/** What is wrong after a story, a line each. */
export class StandingCheckError extends Error {
  override readonly name = "StandingCheckError";
}

const CHECKS: readonly Check[] = [
  callsHaveResults,
  journalIsTheTruth,
  shownIsStored,
  oneReportARun,
  noBugIsReported,
  inputsAreHeard,
  textIsSound,
  exportIsWhole,
  claimsAreReproducible,
];

/** Throws StandingCheckError. `warm` is the session as the story's last process knew it. */
export async function assertStanding(world: World, machine: Left["machine"], warm: Session): Promise<void> {
  const evidence = await look(world, (app) => gather(app, { world, machine, warm }));
  const problems = [
    ...machine.complaints,
    ...badRequests(world.model),
    ...miscounted(evidence.session, calculatorEffects(world.effectsFile)),
    ...CHECKS.flatMap((check) => check(evidence)),
  ];
  if (problems.length === 0) return;
  throw new StandingCheckError(
    `Not as it must be after every story:\n${problems.map((text) => `- ${text}`).join("\n")}`,
  );
}

interface Left {
  readonly world: World;
  readonly machine: Pick<Machine, "processes" | "complaints">;
  readonly warm: Session;
}

async function gather(app: App, { world, machine, warm }: Left): Promise<Evidence> {
  const { sessions, store } = app;
  const id = world.sessionId;
  const { pipeline } = await app.runner();
  const exported = await linesOf(sessions.export(id));
  const imported = await sessions.import(each(exported));
  return {
    session: wholeSession(await sessions.open(id)),
    warm,
    entries: await store.entries(id, 0, Number.MAX_SAFE_INTEGER),
    processes: machine.processes,
    pipeline,
    damages: await sessions.verify(id),
    exported,
    again: await exportOf(app, imported),
    isBroken: world.options.isBroken ?? false,
    secrets: world.secrets,
  };
}

async function exportOf({ sessions }: App, id: SessionId): Promise<Evidence["again"]> {
  return { id, lines: await linesOf(sessions.export(id)) };
}

async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function* each(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
}
