/** What a call had started and its killed owner left running: ended by a cancel, told of where nobody cancelled. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { CallProcess } from "../../src/core/call.ts";
import type { Effect } from "../../src/core/effect.ts";
import type { CallId, MessageId } from "../../src/core/ids.ts";
import { claim, defineOperation, pass } from "../../src/core/operation.ts";
import { intake } from "../../src/operations/intake.ts";
import { interrupt } from "../../src/operations/interrupt.ts";
import { recover } from "../../src/operations/recover.ts";
import { run } from "../../src/runner.ts";
import { isProcessRunning, processStartedAt } from "../../src/tools/process-identity.ts";
import { killProcessTree } from "../../src/tools/process-tree.ts";
import { workbench } from "./workbench.ts";
import type { Workbench } from "./workbench.ts";

const id = "call" as CallId;
const messageId = "reply" as MessageId;
const decision = { verdict: "approved", hash: "h", by: "policy", reason: "" } as const;

const processes = {
  isRunning: isProcessRunning,
  end: async (process: CallProcess, callId: CallId) => (await killProcessTree({ ...process, callId })).left === 0,
};

/** Dispatches a call and dies before its result. */
const dies = (process: CallProcess) =>
  defineOperation({
    name: "dies",
    reads: ["turn", "calls"],
    writes: ["message.append", "call.request", "call.admit", "call.decide", "call.dispatch"],
    claim: ({ turn, calls }) => (turn?.phase === "reply" && calls.open.size === 0 ? claim(null, "once") : pass("no")),
    async *run(_data, ctx) {
      const request = { id, messageId, providerId: "p", tool: "bash", requested: {}, owner: "dies", declaration: null };
      const reply = { model: "m/m", finish: "calls", request: { system: "", tools: [] } } as const;
      yield [
        {
          type: "message.append",
          message: { id: messageId, kind: "reply", parts: [{ type: "call", callId: id }] },
          reply,
        },
        { type: "call.request", ...request },
        { type: "call.admit", id, args: {}, hash: "h" },
        { type: "call.decide", id, decision },
        { type: "call.dispatch", id, epoch: ctx.epoch },
        { type: "call.dispatch", id, epoch: ctx.epoch, process },
      ];
      throw new Error("killed");
    },
  });

async function orphaned(): Promise<{
  readonly bench: Workbench;
  readonly process: CallProcess;
  readonly ended: Promise<unknown>;
}> {
  const bench = await workbench();
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const pid = child.pid ?? 0;
  const process = { pid, startedAt: processStartedAt(pid) ?? "" };
  onTestFinished(() => void child.kill("SIGKILL"));
  await bench.send({ type: "prompt", parts: [{ type: "text", text: "go" }] });
  await run(bench.ports(intake(), dies(process)), bench.id);
  return { bench, process, ended: once(child, "exit") };
}

async function said(bench: Workbench): Promise<string> {
  const entries = await bench.store.entries(bench.id, 0, 100);
  const effects: readonly Effect[] = entries.flatMap((entry) => (entry.type === "commit" ? entry.effects : []));
  return JSON.stringify(effects.filter(({ type }) => type === "message.append").at(-2) ?? {});
}

test("a cancel ends the process that a killed owner left behind, and the result says so", async () => {
  const { bench, process, ended } = await orphaned();
  await bench.send({ type: "cancel" });
  const result = await run(bench.ports(interrupt(processes), intake()), bench.id);
  await ended;
  expect(result).toMatchObject({ outcome: { status: "cancelled" } });
  expect(isProcessRunning(process)).toBe(false);
  expect(await said(bench)).toContain(`Its process ${process.pid} still ran and was ended.`);
});

test("without a cancel the process is left alone, and the result says how to end it", async () => {
  const { bench, process } = await orphaned();
  await run(bench.ports(recover(processes), intake()), bench.id);
  expect(isProcessRunning(process)).toBe(true);
  const session = await bench.store.load(bench.id);
  expect(session?.calls.settled.get(id)?.status).toBe("unknown");
  expect(JSON.stringify([...(session?.messages ?? [])])).toContain(`kill -- -${process.pid}`);
});
