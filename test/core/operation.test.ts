/** The contract of operations, held by the compiler, by the step and by the runner. */
import { expect, test } from "vitest";
import { emptySession } from "../../src/core/fold.ts";
import { SessionId } from "../../src/core/ids.ts";
import { claim, defineOperation, pass } from "../../src/core/operation.ts";
import { createPipeline } from "../../src/core/pipeline.ts";
import type { Tool } from "../../src/core/tool.ts";
import { intake } from "../../src/operations/intake.ts";
import { run } from "../../src/runner.ts";
import { workbench } from "./workbench.ts";

const never = <T>(name: string): T => {
  throw new Error(`${name} must not run`);
};

/** Claims an open turn and yields what it is told to. */
const rogue = (yields: "nothing" | "undeclared" | "second end" | "bug") =>
  defineOperation({
    name: "rogue",
    reads: ["turn"],
    writes: ["note.set", "turn.end"],
    claim: ({ turn }) => (turn && !turn.outcome ? claim(null, "it is open") : pass("no turn is open")),
    async *run() {
      if (yields === "bug") throw new Error("a plain bug");
      if (yields === "undeclared") yield [{ type: "timer.clear", id: "t" } as never];
      if (yields === "second end") {
        const end = { type: "turn.end" as const, outcome: { status: "completed" as const } };
        yield [end, end];
      }
    },
  });

test("an undeclared slice or effect does not compile", () => {
  defineOperation({
    name: "typed",
    reads: ["turn"],
    writes: ["note.set"],
    // @ts-expect-error the slice "calls" is not declared
    claim: ({ calls }) => (calls ? claim(1, "yes") : pass("no")),
    // @ts-expect-error the effect "turn.end" is not declared
    async *run() {
      yield [{ type: "turn.end", outcome: { status: "completed" } }];
    },
  });
});

test("reading an undeclared slice throws and names the operation and the slice", async () => {
  const bench = await workbench();
  const careless = defineOperation({
    name: "careless",
    reads: ["turn"],
    writes: [],
    claim: (view) => ("messages" in view ? claim((view as unknown as { messages: unknown }).messages, "") : pass("")),
    run: () => never("run"),
  });
  const result = await run(bench.ports(careless), bench.id);
  expect(result).toMatchObject({
    outcome: {
      status: "failed",
      error: { kind: "internal", message: expect.stringContaining('"careless" reads the slice "messages"') },
    },
  });
});

test("a batch with an undeclared effect commits nothing, and the machine ends the turn naming operation and rule", async () => {
  const bench = await workbench();
  await bench.send({ type: "prompt", parts: [{ type: "text", text: "hello" }] });
  const result = await run(bench.ports(intake(), rogue("undeclared")), bench.id);
  expect(result).toMatchObject({
    outcome: {
      status: "failed",
      error: {
        kind: "invariant",
        message: expect.stringMatching(/"rogue" broke the rule "declared-writes".*timer\.clear/),
      },
    },
  });
  const entries = await bench.store.entries(bench.id, 0, 100);
  expect(entries.map((entry) => (entry.type === "input" ? "input" : entry.operation))).toEqual([
    "test",
    "input",
    "intake",
    "machine",
  ]);
});

test("a batch that breaks an invariant commits nothing, and the machine ends the turn naming the rule", async () => {
  const bench = await workbench();
  await bench.send({ type: "prompt", parts: [{ type: "text", text: "hello" }] });
  const result = await run(bench.ports(intake(), rogue("second end")), bench.id);
  expect(result).toMatchObject({
    outcome: { status: "failed", error: { kind: "invariant", message: expect.stringContaining("turn-ends-once") } },
  });
});

test("an operation that claims and changes nothing ends the turn as failed(no_progress)", async () => {
  const bench = await workbench();
  await bench.send({ type: "prompt", parts: [{ type: "text", text: "hello" }] });
  const result = await run(bench.ports(intake(), rogue("nothing")), bench.id);
  expect(result).toMatchObject({
    outcome: { status: "failed", error: { kind: "no_progress", message: expect.stringContaining('"rogue"') } },
  });
});

test("a bug commits nothing: the run reports it and the turn stays open for the next run", async () => {
  const bench = await workbench();
  await bench.send({ type: "prompt", parts: [{ type: "text", text: "hello" }] });
  const broken = await run(bench.ports(intake(), rogue("bug")), bench.id);
  expect(broken).toMatchObject({ outcome: { status: "failed", error: { kind: "internal", message: "a plain bug" } } });
  const session = await bench.store.load(bench.id);
  expect(session?.turn).toMatchObject({ phase: "reply" });
  expect(session?.turn?.outcome).toBeUndefined();
});

test("an open turn that nothing claims is failed(stuck), and nothing is committed for it", async () => {
  const bench = await workbench();
  await bench.send({ type: "prompt", parts: [{ type: "text", text: "hello" }] });
  const result = await run(bench.ports(intake()), bench.id);
  expect(result).toMatchObject({ rested: true, outcome: { status: "failed", error: { kind: "stuck" } } });
});

test("a pipeline refuses two operations or commands of one name, and an operation in a wrong place", () => {
  const named = (
    name: string,
    more: { after?: readonly string[]; before?: readonly string[]; commands?: readonly string[] } = {},
  ) =>
    defineOperation({
      name,
      reads: [],
      writes: [],
      ...more,
      commands: (more.commands ?? []).map((command) => ({
        name: command,
        description: "",
        run: () => never("command"),
      })),
      claim: () => pass("never"),
      run: () => never("run"),
    });
  expect(() => createPipeline([named("a"), named("a")])).toThrow('two operations named "a"');
  expect(() => createPipeline([named("a", { commands: ["x"] }), named("b", { commands: ["x"] })])).toThrow(
    'two commands named "x"',
  );
  expect(() => createPipeline([named("a", { after: ["b"] }), named("b")])).toThrow('"a" must stand after "b"');
  expect(() => createPipeline([named("b"), named("a", { before: ["b"] })])).toThrow('"a" must stand before "b"');
  expect(createPipeline([named("a", { after: ["gone"] })]).operations).toHaveLength(1);
});

test("the tools of one operation are in the order of their names, however its server lists them", async () => {
  const named = (name: string): Tool => ({
    spec: { name, description: "", inputSchema: { type: "object" } },
    declaration: { readOnly: true, idempotent: true, touches: [] },
    check: (args) => ({ ok: true, args }),
  });
  const [a, b, c, z] = [named("a"), named("b"), named("c"), named("z")] as const;
  let listed = [c, a, b];
  const owner = (name: string, tools: () => readonly Tool[]) =>
    defineOperation({
      name,
      reads: [],
      writes: [],
      claim: () => pass("never"),
      run: () => never("run"),
      contribute: () => ({ tools: tools() }),
    });
  const pipeline = createPipeline([owner("first", () => [z]), owner("second", () => listed)]);
  const session = emptySession(SessionId.parse("session"));
  const before = await pipeline.contributions(session);
  listed = [b, c, a];
  const after = await pipeline.contributions(session);
  expect(before.specs.map(({ name }) => name)).toEqual(["z", "a", "b", "c"]);
  expect(after.specs).toBe(before.specs);
});
