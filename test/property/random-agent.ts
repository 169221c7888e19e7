/** Plays random actions on one session, with the test kit's world and its standing checks. */
import type { App } from "../../src/app.ts";
import { InputError } from "../../src/core/error.ts";
import type { InputKind } from "../../src/core/input.ts";
import { textOf } from "../../src/core/message.ts";
import type { Session } from "../../src/core/session.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { handMadeTool } from "../../src/testing/index.ts";
import { look } from "../../src/testing/story/look.ts";
import { mortalStore } from "../../src/testing/story/mortal-store.ts";
import { startProcess } from "../../src/testing/story/process.ts";
import type { ProcessRecord, StoryProcess } from "../../src/testing/story/process.ts";
import { assertStanding } from "../../src/testing/story/standing-checks.ts";
import { wholeSession } from "../../src/testing/story/whole-session.ts";
import { createWorld } from "../../src/testing/story/world.ts";
import type { World } from "../../src/testing/story/world.ts";
import type { Action, PersonAction } from "./actions.ts";
import { scriptedModels } from "./scripted-model.ts";
import type { ModelLog } from "./scripted-model.ts";

const author = "user";

/** What is always taken in before a session rests. */
const ALWAYS: ReadonlySet<InputKind> = new Set(["decision", "configure", "withdraw", "cancel", "answer"]);

function leftOver({ inputs }: Session): readonly string[] {
  return inputs.filter(({ input }) => ALWAYS.has(input.type)).map(({ input }) => `a ${input.type} is left at rest`);
}

/** Nothing that was said is in the conversation twice, or in it while it is still pending. */
function misheard({ messages, inputs }: Session): readonly string[] {
  const said = [...messages]
    .filter(({ kind }) => kind === "prompt" || kind === "steer")
    .map(({ parts }) => textOf(parts));
  const pending = inputs.flatMap(({ input }) => ("parts" in input ? [textOf(input.parts)] : []));
  const all = [...said, ...pending];
  return all.filter((text, at) => all.indexOf(text) !== at).map((text) => `"${text}" was heard twice`);
}

/** Owns a world and the process that is alive in it. */
export class RandomAgent {
  readonly #world: World;
  readonly #log: ModelLog;
  readonly #processes: ProcessRecord[] = [];
  readonly #meanwhile: PersonAction[];
  #alive: StoryProcess | undefined;
  readonly #leftOver: string[] = [];
  #said = 0;
  #acts = 0;

  private constructor(world: World, log: ModelLog, meanwhile: PersonAction[]) {
    this.#world = world;
    this.#log = log;
    this.#meanwhile = meanwhile;
  }

  static async open(): Promise<RandomAgent> {
    const log: ModelLog = { problems: [], asked: 0 };
    const meanwhile: PersonAction[] = [];
    let agent: RandomAgent | undefined;
    const between = async (): Promise<void> => {
      for (const act of meanwhile.splice(0)) await agent?.person(act);
    };
    const world = await createWorld({
      mode: "ask",
      limits: { inferences: 6 },
      models: () => scriptedModels(log, between),
      tools: (props) => {
        const made = (name: string, declared: { readonly readOnly?: boolean; readonly idempotent?: boolean }) =>
          handMadeTool({
            name,
            ...declared,
            touches: [name],
            async run(_args, { callId }) {
              props.count(`${callId}`);
              await between();
              if (name === "breaks") throw new Error("it broke");
              return `${name} did it`;
            },
          });
        return [
          made("look", { readOnly: true, idempotent: true }),
          made("again", { idempotent: true }),
          made("change", {}),
          made("breaks", {}),
        ];
      },
    });
    agent = new RandomAgent(world, log, meanwhile);
    return agent;
  }

  async close(): Promise<void> {
    await this.#alive?.close();
    await this.#world.close();
  }

  async play(action: Action): Promise<void> {
    const { sessionId } = this.#world;
    switch (action.do) {
      case "run":
        return this.run();
      case "step": {
        const process = await this.#process();
        await process.step(new AbortController().signal);
        return;
      }
      case "partial": {
        const process = await this.#process();
        await process.counted(process.app.sessions.step(sessionId, { commits: action.commits }));
        return;
      }
      case "reload":
        return this.#reload();
      case "kill":
        return this.#kill(action);
      case "race":
        return this.#race(action);
      case "meanwhile":
        this.#meanwhile.push(...action.acts);
        await this.run();
        for (const act of this.#meanwhile.splice(0)) await this.person(act);
        return;
      default:
        return this.person(action);
    }
  }

  async run(): Promise<void> {
    const process = await this.#process();
    await process.run(new AbortController().signal);
    if (!process.record.killed) this.#leftOver.push(...leftOver(await this.session()));
  }

  /** Now in the process that steps, now in another. Conflicts and targets that are gone are the store's to refuse. */
  async person(action: PersonAction, elsewhere = (this.#acts += 1) % 2 === 0): Promise<void> {
    const act = async (app: App): Promise<void> => {
      const session = await app.sessions.open(this.#world.sessionId);
      await this.#send(action, app, session);
    };
    try {
      await (elsewhere ? look(this.#world, act) : act((await this.#process()).app));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }

  async #send(action: PersonAction, app: App, session: Session): Promise<void> {
    const send = (input: Parameters<typeof app.sessions.send>[1]) => app.sessions.send(this.#world.sessionId, input);
    switch (action.do) {
      case "prompt":
      case "steer":
        this.#said += 1;
        await send({ type: action.do, author, parts: [{ type: "text", text: `${action.do} ${this.#said}` }] });
        return;
      case "cancel":
      case "continue":
        await send({ type: action.do, author });
        return;
      case "configure":
        await send({ type: "configure", author, set: { mode: action.mode } });
        return;
      case "withdraw": {
        const [pending] = session.inputs;
        if (pending) await send({ type: "withdraw", author, inputId: pending.input.id });
        return;
      }
      case "decide": {
        const asked = [...session.calls.open.values()].filter(({ status }) => status === "awaiting_approval");
        const call = asked[action.which % Math.max(1, asked.length)];
        if (!call) return;
        const edited = action.edits && action.verdict === "approve" && { args: { edited: true } };
        await send({ type: "decision", author, callId: call.id, verdict: action.verdict, ...edited });
        return;
      }
      default:
        action satisfies never;
    }
  }

  /** Throws if anything is not as it must be. */
  async check(): Promise<void> {
    const process = await this.#process();
    const { sessionId } = this.#world;
    const warm = wholeSession(await process.app.sessions.open(sessionId));
    const complaints = [...this.#log.problems, ...this.#miscounted(warm), ...misheard(warm), ...this.#leftOver];
    const machine = { processes: this.#processes, complaints };
    await assertStanding(this.#world, machine, warm);
  }

  session(): Promise<Session> {
    return look(this.#world, async ({ sessions }) => wholeSession(await sessions.open(this.#world.sessionId)));
  }

  #miscounted(session: Session): readonly string[] {
    return [...session.calls.settled, ...session.calls.open.values()].flatMap((call) => {
      const times = this.#world.props.counted(call.id);
      const most = call.declaration?.idempotent ? call.attempts : Math.min(1, call.attempts);
      const least = call.status === "succeeded" ? 1 : 0;
      return times >= least && times <= most ? [] : [`${call.tool} is ${call.status} and ran ${times} times`];
    });
  }

  async #process(): Promise<StoryProcess> {
    return (this.#alive ??= this.#keep(await startProcess(this.#world)));
  }

  #keep(process: StoryProcess): StoryProcess {
    this.#processes.push(process.record);
    return process;
  }

  async #reload(): Promise<void> {
    const process = this.#alive;
    this.#alive = undefined;
    await process?.close();
  }

  async #kill(cut: { readonly commit: number; readonly when: "before" | "after" }): Promise<void> {
    await this.#reload();
    const dying: StoryProcess = this.#keep(
      await startProcess(this.#world, async (options) =>
        mortalStore(await openSqliteStore(options), { cut, onDeath: () => dying.kill() }),
      ),
    );
    this.#alive = dying;
    await this.run();
    await this.#reload();
  }

  /** One that steps with single steps too: then each of its commits is of one operation. */
  async #race({ commit, acts }: Extract<Action, { do: "race" }>): Promise<void> {
    await this.#reload();
    let commits = 0;
    this.#alive = this.#keep(
      await startProcess(this.#world, async (options) => {
        const store = await openSqliteStore(options);
        return {
          ...store,
          commit: async (...args) => {
            commits += 1;
            if (commits === commit) for (const act of acts) await this.person(act, true);
            return store.commit(...args);
          },
        };
      }),
    );
    for (let steps = 0; steps < commit; steps += 1) await this.play({ do: "step" });
    await this.run();
  }
}
