/** The service that every frontend uses, ours and others': sessions by id, and all that can be asked or said of them. */
import type { Clock } from "./core/clock.ts";
import type { Entry } from "./core/entry.ts";
import { UsageError } from "./core/error.ts";
import type { LiveEvent } from "./core/event.ts";
import { SessionId } from "./core/ids.ts";
import type { InputId, NewId } from "./core/ids.ts";
import { Input } from "./core/input.ts";
import type { Limits, Mode } from "./core/input.ts";
import type { LiveDraft } from "./core/live-draft.ts";
import { mapText, wellFormed } from "./core/json.ts";
import type { JsonObject } from "./core/json.ts";
import type { Lifecycle } from "./core/lifecycle.ts";
import { lifecycleOf } from "./core/lifecycle.ts";
import { tellListener } from "./core/listener.ts";
import type { Outcome } from "./core/outcome.ts";
import type { Pipeline } from "./core/pipeline.ts";
import { standingOf } from "./core/projection.ts";
import { outcomeOf } from "./core/rest.ts";
import type { Session } from "./core/session.ts";
import { explain } from "./core/step.ts";
import type { Explanation } from "./core/step.ts";
import type { Appended, Damage, Holder, SessionSummary, Store } from "./core/store.ts";
import { reportOf } from "./report.ts";
import type { Report } from "./report.ts";
import { run } from "./runner.ts";
import type { RunResult } from "./runner.ts";
import type { RunnerPorts, RunOptions } from "./driver.ts";

export interface SessionsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
  /** The door for text from outside; see StepContext.clean. */
  readonly clean: (text: string) => string;
  /** Built when something is first stepped or explained, so that what only reads or sends loads no tools and no models. */
  readonly runner: () => Promise<RunnerPorts>;
  readonly pipeline: () => Promise<Pipeline>;
}

export interface NewSession {
  /** Absolute path. */
  readonly workspace: string;
  readonly model: string;
  readonly mode: Mode;
  readonly limits: Limits;
  readonly title?: string;
}

/** An input before it has an id; the same id again is the same input. */
export type NewInput = {
  [K in Input["type"]]: Omit<Extract<Input, { type: K }>, "id"> & { readonly id?: string };
}[Input["type"]];

/** What a run left behind, told once; `held` if another process holds the session. */
export type RunReport = Report | { readonly type: "held"; readonly holder: Holder };

/** What the machine would do now, and why; `next` is null at rest. */
export interface Explained {
  readonly session: SessionId;
  readonly seq: number;
  /** Whoever holds the lease; then this is what the next owner would do. */
  readonly heldBy: Holder | null;
  readonly lifecycle: Lifecycle;
  readonly outcome: Outcome | null;
  readonly operations: readonly Explanation[];
  readonly next: string | null;
}

/**
 * What a subscriber is told. An event is told to whoever subscribed in the process that runs the session. Must not throw: the run
 * goes on as if it had not, and its error is uncaught.
 */
export interface Listener {
  entry?(entry: Entry): void;
  event?(event: LiveEvent): void;
  /** Exactly once for each run in this process, after everything else. */
  report?(report: Report): void;
}

/** A session as it stood, with what was running just then; the listener is told everything after it. */
export interface Subscription {
  readonly session: Session;
  readonly live: LiveDraft | undefined;
  stop(): void;
}

export interface Sessions {
  /** Whether the workspace is a folder is for the caller to know. */
  create(session: NewSession): Promise<Session>;
  /** The session that a full id, a unique beginning of one, or `latest` names; throws UsageError that says what there is. */
  find(name: string, workspace?: string): Promise<SessionId>;
  open(id: SessionId): Promise<Session>;
  list(filter?: Parameters<Store["list"]>[0]): Promise<readonly SessionSummary[]>;
  holder(id: SessionId): Promise<Holder | undefined>;
  /** Throws InputError for a conflict or a bad target, UsageError for an input that is none. */
  send(id: SessionId, input: NewInput): Promise<Appended>;
  /** A snapshot, then every entry after it, without gap or duplicate. */
  subscribe(id: SessionId, listener: Listener): Promise<Subscription>;
  /** What can be seen of the step that is running, in whatever process. */
  live(id: SessionId): Promise<LiveDraft | undefined>;
  run(id: SessionId, options?: Omit<RunOptions, "onEvent" | "steps" | "commits">): Promise<RunReport>;
  /** Exactly one step. With `commits`, it is dropped after so many, as a crash would. */
  step(id: SessionId, options?: Pick<RunOptions, "commits" | "signal" | "wait">): Promise<RunReport>;
  explain(id: SessionId): Promise<Explained>;
  verify(id: SessionId): Promise<readonly Damage[]>;
  export(id: SessionId): AsyncIterable<string>;
  import(lines: AsyncIterable<string>): Promise<SessionId>;
  delete(id: SessionId): Promise<void>;
}

export function createSessions(ports: SessionsPorts): Sessions {
  const { store, clock, newId } = ports;
  return {
    ...inProcess(ports),
    open: (id) => open(store, id),
    list: (filter) => store.list(filter),
    holder: (id) => store.holder(id),
    live: (id) => store.live.read(id),
    verify: (id) => store.verify(id),
    export: (id) => store.export(id),
    import: (lines) => store.import(lines, newId),
    delete: (id) => store.delete(id, clock.now()),
    find: (name, workspace) => find(store, name, workspace),
    create: ({ mode, limits, ...given }) => {
      const title = given.title === undefined ? {} : { title: ports.clean(given.title) };
      // A path in which something was redacted would be another folder.
      const [workspace, model] = [wellFormed(given.workspace), ports.clean(given.model)];
      return store.create(newId<SessionId>(), {
        at: clock.now(),
        base: 0,
        index: 0,
        operation: "sessions",
        reason: "a session was created",
        effects: [{ type: "session.create", workspace, model, mode, limits, ...title }],
      });
    },
    async send(id, input) {
      await open(store, id);
      const said = mapText(input as JsonObject, ports.clean);
      const parsed = Input.safeParse({ ...(said as object), id: input.id ?? newId<InputId>() });
      if (parsed.success) return store.append(id, parsed.data, clock.now());
      const issue = parsed.error.issues[0];
      throw new UsageError(`The ${input.type} cannot be sent: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
    },
    async explain(id) {
      const session = await open(store, id);
      const { operations, next } = explain(session, await ports.pipeline(), clock.now());
      return {
        session: id,
        seq: session.seq,
        heldBy: (await store.holder(id)) ?? null,
        lifecycle: lifecycleOf(session),
        outcome: (next === undefined ? outcomeOf(session) : standingOf(session)) ?? null,
        operations,
        next: next ?? null,
      };
    },
  };
}

/** Running and watching: what runs in this process is told live to those who subscribed in it. */
function inProcess({ store, runner }: SessionsPorts): Pick<Sessions, "run" | "step" | "subscribe"> {
  const listeners = new Map<SessionId, Set<Listener>>();
  const tell = (id: SessionId, what: (listener: Listener) => void): void =>
    listeners.get(id)?.forEach((listener) => tellListener(() => what(listener)));
  const runWith = async (id: SessionId, options: RunOptions): Promise<RunReport> => {
    await open(store, id);
    const onEvent = (event: LiveEvent) => tell(id, (listener) => listener.event?.(event));
    const result = await run(await runner(), id, { ...options, onEvent });
    if (result.status === "held") return { type: "held", holder: result.holder };
    const report = reportOf(result.session, outcomeAfter(result));
    tell(id, (listener) => listener.report?.(report));
    return report;
  };
  return {
    run: runWith,
    step: (id, options = {}) => runWith(id, { ...options, steps: 1 }),
    async subscribe(id, listener) {
      const session = await open(store, id);
      const known = listeners.get(id) ?? new Set();
      listeners.set(id, known.add(listener));
      const unwatch = store.watch(id, session.seq, (entry) => listener.entry?.(entry));
      const stop = (): void => {
        unwatch();
        known.delete(listener);
        if (known.size === 0 && listeners.get(id) === known) listeners.delete(id);
      };
      try {
        return { session, live: await store.live.read(id), stop };
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}

/** Of a session that does not rest, how it stands is no outcome: a step has done its part, and there is more to do. */
function outcomeAfter({
  session,
  outcome,
  rested,
}: Extract<RunResult, { status: "ran" }>): Report["outcome"] | undefined {
  const broke = outcome?.status === "failed" && (outcome.error.kind === "store" || outcome.error.kind === "internal");
  if (rested || broke) return outcome;
  return standingOf(session) ?? { status: "open", lifecycle: lifecycleOf(session) };
}

async function open(store: Store, id: SessionId): Promise<Session> {
  const session = await store.load(id);
  if (!session) throw new UsageError(`There is no session ${id}. \`dacapo sessions list\` shows those there are.`);
  return session;
}

async function find(store: Store, name: string, workspace?: string): Promise<SessionId> {
  if (name === "latest") {
    const [newest] = await store.list({ limit: 1, ...(workspace !== undefined && { workspace }) });
    if (newest) return newest.id;
    throw new UsageError("There is no session yet. `dacapo run PROMPT` starts one.");
  }
  const exact = SessionId.safeParse(name);
  if (exact.success && (await store.load(exact.data))) return exact.data;
  const found = exact.success ? await store.list({ prefix: name, limit: 5 }) : [];
  const [only] = found;
  if (only && found.length === 1) return only.id;
  const what =
    found.length === 0
      ? `There is no session "${name}".`
      : `"${name}" begins several sessions: ${found.map(({ id }) => id).join(", ")}.`;
  throw new UsageError(`${what} \`dacapo sessions list\` shows those there are.`);
}
