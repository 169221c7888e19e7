/** Processes one after another on one database: each is opened, acts, and is gone before the next. */
import { onTestFinished } from "vitest";
import type { App } from "../../src/app.ts";
import type { Session } from "../../src/core/session.ts";
import type { Appended } from "../../src/core/store.ts";
import type { NewInput } from "../../src/sessions.ts";
import { calculatorEffects, transcript } from "../../src/testing/index.ts";
import type { StoryOptions } from "../../src/testing/index.ts";
import { wholeSession } from "../../src/testing/story/whole-session.ts";
import { createWorld } from "../../src/testing/story/world.ts";
import type { World } from "../../src/testing/story/world.ts";

export interface Process {
  readonly app: App;
  send(input: NewInput): Promise<Appended>;
  prompt(text: string): Promise<Appended>;
  /** Steps until this operation is the next to act; throws if the session rests before that. */
  stepUntil(operation: string): Promise<void>;
  /** Drops the next step of this operation after so many of its commits, as a crash would. */
  stopInside(operation: string, commits: number): Promise<void>;
  /** Runs until the session rests, and says how it then stands. */
  run(): Promise<string>;
}

export interface Place {
  readonly world: World;
  /** One process: what it does is over, and it is gone, when this returns. */
  process<T>(act: (process: Process) => Promise<T>): Promise<T>;
  session(): Promise<Session>;
  transcript(): Promise<string>;
  effects(): readonly string[];
}

/** The place is cleaned up when the test is over. */
export async function createPlace(options: StoryOptions = {}): Promise<Place> {
  const world = await createWorld(options);
  onTestFinished(() => world.close());
  const opened = async <T>(act: (app: App) => Promise<T>): Promise<T> => {
    const app = await world.openApp();
    try {
      return await act(app);
    } finally {
      await app.close();
    }
  };
  return {
    world,
    process: (act) => opened((app) => act(processOf(app, world))),
    session: () => opened(async (app) => wholeSession(await app.sessions.open(world.sessionId))),
    transcript: () =>
      opened(async ({ sessions, store }) =>
        transcript(await sessions.open(world.sessionId), {
          entries: await store.entries(world.sessionId, 0, Number.MAX_SAFE_INTEGER),
          home: world.home,
        }),
      ),
    effects: () => calculatorEffects(world.effectsFile).map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`),
  };
}

function processOf(app: App, { sessionId }: World): Process {
  const { sessions } = app;
  const stepUntil = async (operation: string): Promise<void> => {
    for (;;) {
      const { next } = await sessions.explain(sessionId);
      if (next === operation) return;
      if (next === null) throw new Error(`the session rests before ${operation} acts`);
      await sessions.step(sessionId);
    }
  };
  return {
    app,
    send: (input) => sessions.send(sessionId, input),
    prompt: (text) => sessions.send(sessionId, { type: "prompt", author: "user", parts: [{ type: "text", text }] }),
    stepUntil,
    async stopInside(operation, commits) {
      await stepUntil(operation);
      await sessions.step(sessionId, { commits });
    },
    async run() {
      const report = await sessions.run(sessionId);
      if (report.type === "held") throw new Error(`the session is held by process ${report.holder.owner.pid}`);
      return report.outcome.status;
    },
  };
}
