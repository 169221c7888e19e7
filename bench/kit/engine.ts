/** The whole engine as its users get it (store, runner, standard pipeline), with the work's own model and tool. */
import { dirname } from "node:path";
import { createApp } from "../../src/app.ts";
import type { App } from "../../src/app.ts";
import type { SessionId } from "../../src/core/ids.ts";
import type { ToolHost } from "../../src/core/tool.ts";
import { run } from "../../src/runner.ts";
import { addingModel, addingTools } from "./adder.ts";
import type { Adding } from "./adder.ts";

export type Durability = "normal" | "full";

export interface Engine {
  readonly app: App;
  readonly create: () => Promise<SessionId>;
  /** One turn, from the prompt to rest; throws unless it completed. Gives the transactions of its steps. */
  readonly turn: (id: SessionId) => Promise<number>;
}

export interface EngineOptions extends Adding {
  /** In place of the one with `add`; a tool must be called `add` and answer with the sum. */
  readonly tools?: ToolHost;
}

/** Everything that is loaded once is loaded when it resolves. */
export async function openEngine(path: string, durability: Durability, options: EngineOptions): Promise<Engine> {
  const { tools = addingTools, ...adding } = options;
  const workspace = dirname(path);
  const model = addingModel(adding);
  const app = await createApp({
    databasePath: path,
    durability,
    environment: {},
    home: workspace,
    workspace,
    models: async () => model,
    tools,
  });
  const ports = await app.runner();
  return {
    app,
    async create() {
      const limits = { inferences: 1_000_000 };
      const { session } = await app.sessions.create({ workspace, model: model.id, mode: "auto", limits });
      return session.id;
    },
    async turn(id) {
      let transactions = 0;
      const store: typeof ports.store = {
        ...ports.store,
        commit(lease, base, advanced) {
          transactions += 1;
          return ports.store.commit(lease, base, advanced);
        },
      };
      const parts = [{ type: "text" as const, text: `Count to ${adding.rounds} with add.` }];
      await app.sessions.send(id, { type: "prompt", author: "user", parts });
      const result = await run({ ...ports, store }, id);
      const outcome = result.status === "ran" ? result.outcome : undefined;
      if (outcome?.status !== "completed") throw new Error(`the turn did not complete: ${JSON.stringify(outcome)}`);
      return transactions;
    },
  };
}
