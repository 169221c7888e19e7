/** A real store in a temporary folder and a runner over a pipeline of one's own: the engine without models and tools. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256 } from "../../src/store/hash.ts";
import { createHasher } from "../../src/core/content.ts";
import type { InputId, SessionId } from "../../src/core/ids.ts";
import type { Input, InputKind } from "../../src/core/input.ts";
import type { Operation } from "../../src/core/operation.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import type { Store } from "../../src/core/store.ts";
import type { RunnerPorts } from "../../src/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";

export interface Workbench {
  readonly store: Store;
  readonly id: SessionId;
  ports(...operations: readonly Operation[]): RunnerPorts;
  send(input: { readonly type: InputKind } & Record<string, unknown>): Promise<void>;
}

export async function workbench(): Promise<Workbench> {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-core-"));
  let time = Date.UTC(2026, 0, 1);
  let ids = 0;
  const clock = {
    now: () => time,
    sleep: (ms: number) => {
      time += ms;
      return Promise.resolve();
    },
  };
  const newId = <T extends string>(): T => `id-${(ids += 1)}` as T;
  const store = await openSqliteStore({
    path: join(folder, "sessions.db"),
    durability: "normal",
    now: () => clock.now(),
    isGone: () => false,
  });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const id = newId<SessionId>();
  await store.create(id, {
    at: time,
    base: 0,
    index: 0,
    operation: "test",
    reason: "a story begins",
    effects: [
      { type: "session.create", workspace: folder, model: "demo/demo", mode: "auto", limits: { inferences: 5 } },
    ],
  });
  const owner = { id: "owner", host: "here", pidNamespace: "", pid: 1, processStart: "0" };
  return {
    store,
    id,
    ports: (...operations) => ({
      store,
      clock,
      newId,
      owner,
      pipeline: createPipeline(operations),
      hasher: createHasher(sha256),
      clean: (text) => text,
    }),
    async send(input) {
      await store.append(id, { id: newId<InputId>(), author: "user", ...input } as Input, time);
    },
  };
}
