/** What the runner promises when things go wrong: nothing is done twice, nothing without a commit, nothing after the end. */
import { expect, test } from "vitest";
import { StoreError } from "../../src/core/error.ts";
import type { InputId } from "../../src/core/ids.ts";
import { claim, defineOperation, pass } from "../../src/core/operation.ts";
import type { Store } from "../../src/core/store.ts";
import { intake } from "../../src/operations/intake.ts";
import { interrupt } from "../../src/operations/interrupt.ts";
import { run } from "../../src/runner.ts";
import { createGate } from "../../src/testing/index.ts";
import { workbench } from "./workbench.ts";
import type { Workbench } from "./workbench.ts";

const said = (text: string) => ({ parts: [{ type: "text", text }] });

/** Claims an open turn and does what it is told to; its commits are notes. */
const acts = (
  run: (note: (text: string) => Noted, ctx: { barrier(): Promise<void> }) => AsyncGenerator<Noted, void, void>,
  durability: "each-commit" | "on-barrier" = "each-commit",
) =>
  defineOperation({
    name: "acts",
    durability,
    reads: ["turn"],
    writes: ["note.set", "turn.end"],
    claim: ({ turn }) => (turn && !turn.outcome ? claim(null, "it is open") : pass("no turn is open")),
    async *run(_data, ctx) {
      yield* run((data) => [{ type: "note.set", operation: "acts", version: 1, data }], ctx);
    },
  });

type Noted = readonly (
  | { readonly type: "note.set"; readonly operation: string; readonly version: number; readonly data: string }
  | { readonly type: "turn.end"; readonly outcome: { readonly status: "completed" } }
)[];

const completed: Noted = [{ type: "turn.end", outcome: { status: "completed" } }];

async function prompted(): Promise<Workbench> {
  const bench = await workbench();
  await bench.send({ type: "prompt", ...said("hello") });
  return bench;
}

test("a turn does not complete over a steer that came between two commits of one step", async () => {
  const bench = await prompted();
  let steers = 0;
  const result = await run(
    bench.ports(
      intake(),
      acts(async function* (note) {
        yield note("first");
        if (steers === 0) await bench.send({ type: "steer", ...said("wait") });
        steers += 1;
        yield note("second");
        yield completed;
      }),
    ),
    bench.id,
  );
  expect(result).toMatchObject({ outcome: { status: "completed" } });
  const entries = await bench.store.entries(bench.id, 0, 100);
  const effects = entries.flatMap((entry) => (entry.type === "commit" ? entry.effects.map(({ type }) => type) : []));
  expect(effects.lastIndexOf("input.consume")).toBeLessThan(effects.indexOf("turn.end"));
  expect(steers).toBe(2);
});

test("an operation that a cancel left behind passes no barrier any more", async () => {
  const bench = await prompted();
  const slow = createGate();
  const controller = new AbortController();
  const after: string[] = [];
  const late = createGate();
  const running = run(
    bench.ports(
      interrupt({ isRunning: () => false, end: () => Promise.resolve(true) }),
      intake(),
      acts(async function* (_note, ctx) {
        await slow.wait(new AbortController().signal);
        await ctx.barrier().then(
          () => after.push("touched the outside"),
          () => after.push("was refused"),
        );
        void late.wait(new AbortController().signal);
        yield completed;
      }),
    ),
    bench.id,
    { signal: controller.signal },
  );
  await slow.reached;
  controller.abort();
  expect(await running).toMatchObject({ outcome: { status: "cancelled" } });
  slow.release();
  await late.reached;
  expect(after).toEqual(["was refused"]);
});

test("after a commit that failed nothing more is committed by that run, and nothing outside is touched", async () => {
  const bench = await prompted();
  const touched: string[] = [];
  let commits = 0;
  const store: Store = {
    ...bench.store,
    commit(...args) {
      commits += 1;
      return commits === 1 ? Promise.reject(new StoreError("the disk is full")) : bench.store.commit(...args);
    },
  };
  const operation = acts(async function* (note, ctx) {
    yield note("first");
    try {
      await ctx.barrier();
      touched.push("outside");
    } catch {
      // An operation that swallows the failure gets no further either.
    }
    yield note("second");
    yield completed;
  }, "on-barrier");
  const result = await run({ ...bench.ports(intake(), operation), store }, bench.id);
  expect(result).toMatchObject({
    outcome: { status: "failed", error: { kind: "store", message: "the disk is full" } },
  });
  expect(touched).toEqual([]);
  expect(await bench.store.verify(bench.id)).toEqual([]);
  expect((await bench.store.load(bench.id))?.turn?.outcome).toBeUndefined();
});

test("a store that fails right after the lease was taken is an outcome, and the lease is given up", async () => {
  const bench = await prompted();
  let loads = 0;
  const store: Store = {
    ...bench.store,
    load(id) {
      loads += 1;
      return loads === 2 ? Promise.reject(new StoreError("the disk is gone")) : bench.store.load(id);
    },
  };
  const result = await run({ ...bench.ports(intake()), store }, bench.id);
  expect(result).toMatchObject({
    outcome: { status: "failed", error: { kind: "store", message: "the disk is gone" } },
  });
  expect(await bench.store.holder(bench.id)).toBeUndefined();
});

test("a broken rule outside a turn is reported by its name", async () => {
  const bench = await workbench();
  const eager = defineOperation({
    name: "eager",
    reads: ["inputs"],
    writes: ["input.consume"],
    claim: () => claim(null, "always"),
    async *run() {
      yield [{ type: "input.consume", id: "nobody" as InputId }];
    },
  });
  const result = await run(bench.ports(eager), bench.id);
  expect(result).toMatchObject({ outcome: { status: "failed", error: { kind: "invariant" } } });
});
