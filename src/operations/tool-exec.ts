/** Runs the approved calls of the tool host: dispatched before anything is touched, each result stored as it lands. */
import { isReady } from "../core/call.ts";
import type { Call, CallProcess } from "../core/call.ts";
import type { EffectOf } from "../core/effect.ts";
import { wordsOf } from "../core/error.ts";
import type { CallId, MessageId } from "../core/ids.ts";
import type { InputOf } from "../core/input.ts";
import { canonicalJson } from "../core/json.ts";
import { createMailbox } from "../core/mailbox.ts";
import type { Mailbox } from "../core/mailbox.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext, View } from "../core/operation.ts";
import { settleCall } from "../core/settle-open.ts";
import type { ResultPart } from "../core/part.ts";
import type { Artifacts } from "../core/store.ts";
import type { HostedTool, ToolContext, ToolHost, ToolResult } from "../core/tool.ts";
import { isEdit } from "./admit.ts";
import { decide } from "./decision.ts";
import { bounded } from "./bound-result.ts";
import { createCollector } from "./tool-output.ts";
import type { OutputPlace } from "./tool-output.ts";
import { startable } from "./tool-schedule.ts";
import { notAvailable } from "./unknown-tool.ts";

type Executed = EffectOf<
  "call.dispatch" | "call.settle" | "message.append" | "artifact.link" | "input.consume" | "call.decide" | "grant.add"
>;

/** What happens while calls run, in the order in which it is to be committed. */
type Happening =
  | { readonly type: "landed"; readonly call: Call; readonly result: ToolResult }
  | { readonly type: "spawned"; readonly call: Call; readonly process: CallProcess; readonly committed: () => void }
  | { readonly type: "decided"; readonly input: InputOf<"decision"> };

const NAME = "tool-exec";

/** Siblings that are approved meanwhile join. `artifacts` keeps output that is too large for a message. */
export const toolExec = (host: ToolHost, artifacts: Artifacts) =>
  defineOperation({
    name: NAME,
    reads: ["session", "calls"],
    writes: [
      "call.dispatch",
      "call.settle",
      "message.append",
      "artifact.link",
      "input.consume",
      "call.decide",
      "grant.add",
    ],
    hears: ["decision"],
    after: ["approval"],
    claim: ({ calls }) => {
      const ready = [...calls.open.values()].filter((call) => isReady(call) && call.owner === NAME);
      return ready.length > 0
        ? claim(ready, `runs ${ready.map((call) => call.tool).join(", ")}`)
        : pass("no call of the tool host is ready");
    },
    async *run(ready, ctx, view) {
      const tools = new Map((await host.tools(view.session.workspace)).map((tool) => [tool.spec.name, tool]));
      yield* new RunningCalls({ ctx, view, tools, artifacts }, ready).run();
    },
    contribute: async ({ session }) => ({ tools: await host.tools(session.workspace) }),
  });

interface RunningCallsPorts {
  readonly ctx: StepContext;
  readonly view: View<"session" | "calls">;
  readonly tools: ReadonlyMap<string, HostedTool>;
  readonly artifacts: Artifacts;
}

/** The calls of one run of the operation, some waiting and some running. Owns the mailbox that their ends arrive in. */
class RunningCalls {
  readonly #ports: RunningCallsPorts;
  readonly #happenings: Mailbox<Happening> = createMailbox();
  readonly #running = new Map<CallId, Call>();
  #waiting: readonly Call[];

  constructor(ports: RunningCallsPorts, ready: readonly Call[]) {
    this.#ports = ports;
    this.#waiting = ready;
  }

  async *run(): AsyncGenerator<readonly Executed[], void, void> {
    const { ctx } = this.#ports;
    void this.#listen();
    const dispatched = this.#dispatch();
    yield dispatched.effects;
    await ctx.barrier();
    this.#start(dispatched.calls);
    if (this.#running.size === 0) return;
    for await (const happening of this.#happenings.items) {
      const next = this.#after(happening);
      yield next.effects;
      if (next.calls.length > 0) {
        await ctx.barrier();
        this.#start(next.calls);
      }
      if (happening.type === "spawned") happening.committed();
      if (this.#running.size === 0) return;
    }
  }

  /** Moves what may start now from waiting to running; nothing starts any more once the turn was cancelled. */
  #dispatch(): { readonly calls: readonly Call[]; readonly effects: readonly Executed[] } {
    const { ctx, tools } = this.#ports;
    if (ctx.signal.aborted) return { calls: [], effects: [] };
    const starts = startable(this.#waiting, [...this.#running.values()]);
    this.#waiting = this.#waiting.filter((call) => !starts.includes(call));
    const gone = starts.filter((call) => !tools.has(call.tool));
    const calls = starts.filter((call) => tools.has(call.tool));
    for (const call of calls) this.#running.set(call.id, call);
    return {
      calls,
      effects: [
        ...calls.map((call) => ({ type: "call.dispatch" as const, id: call.id, epoch: ctx.epoch })),
        ...gone.flatMap((call) => {
          const text = notAvailable(call.tool, [...tools.keys()]);
          return settleCall(call, { status: "failed", errorKind: "tool_unavailable", text }, ctx.newId);
        }),
      ],
    };
  }

  #start(calls: readonly Call[]): void {
    for (const call of calls)
      void this.#execute(call).then((result) => this.#happenings.put({ type: "landed", call, result }));
  }

  /** Must not throw: whatever a tool does, its call is answered. */
  async #execute(call: Call): Promise<ToolResult> {
    const { ctx, tools } = this.#ports;
    try {
      const result = await tools.get(call.tool)?.execute(call.args ?? {}, this.#toolContext(call));
      return bounded(result ?? { content: [] }, this.#place(call), ctx);
    } catch (error) {
      const text = `The tool ${call.tool} broke: ${wordsOf(error)}`;
      return bounded({ content: [{ type: "text", text }], errorKind: "tool_failed" }, this.#place(call), ctx);
    }
  }

  #place(call: Call): OutputPlace {
    return { sessionId: this.#ports.view.session.id, callId: call.id, artifacts: this.#ports.artifacts };
  }

  #toolContext(call: Call): ToolContext {
    const { ctx, view, artifacts } = this.#ports;
    return {
      callId: call.id,
      idempotencyKey: call.id,
      workspace: view.session.workspace,
      signal: ctx.signal,
      collector: () => createCollector(this.#place(call), ctx),
      progress: (done, total, message) =>
        ctx.emit({
          type: "tool-progress",
          callId: call.id,
          done,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message: ctx.clean(message) }),
        }),
      spawned: (process) =>
        new Promise((resolve) => {
          const committed = (): void => resolve();
          ctx.signal.addEventListener("abort", committed, { once: true });
          this.#happenings.put({ type: "spawned", call, process, committed });
        }),
      readArtifact: (id, offset, limit) => artifacts.read(view.session.id, id, offset, limit),
    };
  }

  /** What a happening writes, and the calls that start with it. */
  #after(happening: Happening): { readonly calls: readonly Call[]; readonly effects: readonly Executed[] } {
    const { ctx } = this.#ports;
    switch (happening.type) {
      case "landed": {
        this.#running.delete(happening.call.id);
        const { calls, effects } = this.#dispatch();
        return { calls, effects: [...this.#landed(happening.call, happening.result), ...effects] };
      }
      case "spawned": {
        const { call, process } = happening;
        const effects = this.#running.has(call.id)
          ? [{ type: "call.dispatch" as const, id: call.id, epoch: ctx.epoch, process }]
          : [];
        return { calls: [], effects };
      }
      case "decided":
        return this.#join(happening.input);
      default:
        return happening satisfies never;
    }
  }

  /** A result that lands after a cancel counts if the tool had finished; what was cut short is interrupted. */
  #landed(call: Call, result: ToolResult): readonly Executed[] {
    const { ctx } = this.#ports;
    const cut = ctx.signal.aborted && result.errorKind !== undefined;
    const errorKind = cut ? "interrupted" : result.errorKind;
    const id: MessageId = ctx.newId();
    const links = result.artifacts ?? [];
    const told = `The user edited the arguments before approving: ${canonicalJson(call.args)}`;
    const edited = call.edited ? [{ type: "text" as const, text: told }] : [];
    const part: ResultPart = {
      type: "result",
      callId: call.id,
      isError: errorKind !== undefined,
      ...(errorKind && { errorKind }),
      content: [...edited, ...result.content],
      ...(links.length > 0 && { artifacts: links }),
    };
    return [
      { type: "message.append", message: { id, kind: "result", parts: [part] } },
      {
        type: "call.settle",
        id: call.id,
        status: cut ? "interrupted" : errorKind ? "failed" : "succeeded",
        messageId: id,
      },
      ...links.map((link) => ({ type: "artifact.link" as const, id: link, callId: call.id })),
    ];
  }

  /** A decision about a sibling, heard while others run. */
  #join(input: InputOf<"decision">): { readonly calls: readonly Call[]; readonly effects: readonly Executed[] } {
    const { ctx, view } = this.#ports;
    const call = view.calls.open.get(input.callId);
    if (!call || call.status !== "awaiting_approval" || call.hash !== input.hash) return { calls: [], effects: [] };
    const decided: readonly Executed[] = [{ type: "input.consume", id: input.id }, ...decide(call, input, ctx)];
    if (input.verdict === "deny" || call.owner !== NAME) return { calls: [], effects: decided };
    this.#waiting = [...this.#waiting, call];
    const { calls, effects } = this.#dispatch();
    return { calls, effects: [...decided, ...effects] };
  }

  /** Edited arguments are not heard here: they are admitted again when this step is over. */
  async #listen(): Promise<void> {
    for await (const { input } of this.#ports.ctx.heard) {
      if (input.type === "decision" && !isEdit(input)) this.#happenings.put({ type: "decided", input });
    }
  }
}
