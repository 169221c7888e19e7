/** Drives the steps of one leased session: applies what they yield, hears what arrives, ends what was aborted. */
import { setImmediate } from "node:timers/promises";
import { BatchError } from "./core/error.ts";
import type { LiveEvent } from "./core/event.ts";
import type { InputId } from "./core/ids.ts";
import type { PendingInput } from "./core/input.ts";
import { InvariantError } from "./core/invariant.ts";
import { SLICES } from "./core/operation.ts";
import { outcomeOf } from "./core/rest.ts";
import type { Session } from "./core/session.ts";
import { settleOpen } from "./core/settle-open.ts";
import { step } from "./core/step.ts";
import type { Commit, StepResult } from "./core/step.ts";
import type { LeaseOwner, Store } from "./core/store.ts";
import { SupersededError } from "./leased-session.ts";
import type { LeasedSession } from "./leased-session.ts";
import { createLiveFeed } from "./live-feed.ts";
import type { LiveFeed } from "./live-feed.ts";
import { RunningStep } from "./running-step.ts";
import type { StepPorts } from "./running-step.ts";

/** What a run reaches the outside through, made by the app. `owner` is this process, as leases name it: the same for all its runs. */
export interface RunnerPorts extends StepPorts {
  readonly store: Store;
  readonly owner: LeaseOwner;
}

export interface RunOptions {
  /** Aborting it is a cancel by `author`: stored, then settled like any other. */
  readonly signal?: AbortSignal;
  readonly author?: string;
  /** False: give up at once if another process holds the session. */
  readonly wait?: boolean;
  /** At most this many steps, and at most this many commits of the last one (then it is dropped, as a crash would). */
  readonly steps?: number;
  readonly commits?: number;
  readonly onEvent?: (event: LiveEvent) => void;
}

/** After so many steps the event loop has its turn. */
const STEPS_BETWEEN_TURNS = 16;

/** What came of one step. */
type Stepped = "rests" | "acted" | "superseded" | "aborted" | "dropped";

/** Steps one leased session. Owns a subscription to its inputs. */
export class Driver {
  readonly #ports: RunnerPorts;
  readonly #leased: LeasedSession;
  readonly #options: RunOptions;
  readonly #unwatch: () => void;
  readonly #onSignal = (): void => {
    this.#cancelling = this.#storeCancel();
    // A cancel that cannot be stored fails the run at its next step.
    this.#cancelling.catch(() => {
      this.#running?.abort();
      this.#sleeping?.abort();
    });
  };
  readonly #live: LiveFeed;
  #running: RunningStep | undefined;
  /** Others wrote to the session since it was last read. */
  #stale = false;
  #sleeping: AbortController | undefined;
  #cancelling: Promise<void> | undefined;

  constructor(ports: RunnerPorts, leased: LeasedSession, options: RunOptions) {
    this.#ports = ports;
    this.#leased = leased;
    this.#options = options;
    this.#live = createLiveFeed({
      tell: (event) => options.onEvent?.(event),
      save: (draft) => ports.store.live.write(leased.lease, draft),
    });
    this.#unwatch = ports.store.watch(leased.lease.sessionId, leased.head.seq, (entry) => {
      if (entry.type === "input") this.#arrived({ ...entry, held: false });
    });
    leased.onLost = () => this.#running?.abort();
    options.signal?.addEventListener("abort", this.#onSignal, { once: true });
    if (options.signal?.aborted) this.#onSignal();
  }

  close(): void {
    this.#unwatch();
    this.#options.signal?.removeEventListener("abort", this.#onSignal);
    this.#running?.close();
  }

  /** True when nothing claims the session any more; false when the number of steps was reached. */
  async untilRest(): Promise<boolean> {
    const { steps = Number.POSITIVE_INFINITY } = this.#options;
    for (let taken = 0, round = 1; ; round += 1) {
      // A model and tools that answer at once would starve the heartbeat and whoever cancels.
      if (round % STEPS_BETWEEN_TURNS === 0) await setImmediate();
      const stepped = await this.#step();
      if (stepped === "dropped") return false;
      if (stepped === "superseded" || stepped === "aborted") continue;
      if (stepped === "acted" && taken + 1 < steps) {
        taken += 1;
        continue;
      }
      const seen = this.#leased.head.seq;
      // Where inputs took the place of commits, what seemed done was not.
      const dropped = await this.#catchUp();
      if (dropped) continue;
      if (stepped === "acted") return false;
      if (this.#leased.head.seq !== seen) continue;
      if (steps !== Number.POSITIVE_INFINITY || !(await this.#sleptUntilRetry())) return true;
    }
  }

  async #step(): Promise<Stepped> {
    if (this.#cancelling) await this.#cancelling;
    if (this.#stale) await this.#catchUp();
    const before = this.#leased.head;
    try {
      const result = await this.#drive();
      if (result === "aborted" || result === "dropped") {
        await this.#leased.flush();
        return result;
      }
      if (result.operation === undefined) return "rests";
      if (!changed(before, this.#leased.head))
        this.#endTurn(
          result.operation,
          "no_progress",
          `it claimed the session ("${result.reason}") and changed nothing`,
        );
      return "acted";
    } catch (error) {
      if (error instanceof SupersededError) return "superseded";
      if (!(error instanceof BatchError)) throw error;
      this.#endTurn(error.operation, "invariant", error.message);
      return "acted";
    } finally {
      this.#live.ended();
    }
  }

  /** Drives the step by hand: a hung operation is left behind when it was aborted and its grace is over. */
  async #drive(): Promise<StepResult | "aborted" | "dropped"> {
    const head = this.#leased.begin();
    const running = new RunningStep(this.#ports, this.#leased, this.#live);
    if (this.#running) running.inherit(this.#running);
    this.#running = running;
    const generator = step(head, this.#ports.pipeline, running);
    let ended = false;
    try {
      for (let commits = 0; ;) {
        const next = await running.unlessOver(generator.next());
        if (next === "over") return "aborted";
        ended = next.done ?? false;
        if (next.done) return running.aborted ? "aborted" : next.value;
        await this.#commit(next.value);
        commits += 1;
        if (commits === this.#options.commits) return "dropped";
      }
    } finally {
      running.close();
      // Whatever a step that was left behind has started is told to stop.
      if (!ended) running.abort();
    }
  }

  async #commit({ draft, durability }: Commit): Promise<void> {
    this.#leased.apply(draft);
    this.#live.committed(draft.effects);
    if (durability === "each-commit") await this.#leased.flush();
  }

  /** An input of whoever: a cancel of the running turn stops the step, others are for the operation that hears them. */
  #arrived(pending: PendingInput): void {
    this.#stale = true;
    this.#sleeping?.abort();
    const { input } = pending;
    const { turn } = this.#leased.head;
    if (input.type === "cancel" && turn && !turn.outcome && (input.turnId ?? turn.id) === turn.id)
      this.#running?.abort();
    if (this.#running?.hears(input.type)) void this.#deliver(pending);
  }

  /** The head knows an input before the operation hears of it. */
  async #deliver(pending: PendingInput): Promise<void> {
    const running = this.#running;
    try {
      await this.#leased.refresh();
      running?.hear(pending);
    } catch {
      // The step itself meets the same failure at its next commit, and reports it.
    }
  }

  /** Whether commits that were not durable yet had to be dropped. */
  async #catchUp(): Promise<boolean> {
    this.#stale = false;
    try {
      await this.#leased.refresh();
      return false;
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error;
      await this.#leased.refresh();
      return true;
    }
  }

  /** Sleeps while the session waits for a retry and for nothing else; any input ends the sleep. */
  async #sleptUntilRetry(): Promise<boolean> {
    const outcome = outcomeOf(this.#leased.head);
    if (outcome?.status !== "awaiting_retry") return false;
    const sleeping = (this.#sleeping = new AbortController());
    if (!this.#stale) await this.#ports.clock.sleep(outcome.until - this.#ports.clock.now(), sleeping.signal);
    this.#sleeping = undefined;
    return true;
  }

  /** What the machine itself commits when an operation broke its contract. */
  #endTurn(operation: string, kind: "invariant" | "no_progress", detail: string): void {
    const { lease } = this.#leased;
    const head = this.#leased.begin();
    const message = kind === "invariant" ? detail : `operation "${operation}" made no progress: ${detail}`;
    if (!head.turn || head.turn.outcome) throw new InvariantError(kind, message);
    const { newId, clock } = this.#ports;
    this.#leased.apply({
      at: clock.now(),
      base: head.seq,
      index: 0,
      operation: "machine",
      reason: message,
      effects: [
        ...settleOpen(head, { newId, epoch: lease.epoch }, () => "The turn was stopped by an error of the engine."),
        { type: "turn.end", outcome: { status: "failed", error: { kind, message } } },
      ],
    });
  }

  async #storeCancel(): Promise<void> {
    const { store, clock, newId } = this.#ports;
    const id: InputId = newId();
    const author = this.#options.author ?? "user";
    await store.append(this.#leased.lease.sessionId, { id, type: "cancel", author }, clock.now());
  }
}

/** Whether anything that a claim could see is another value now. */
function changed(before: Session, after: Session): boolean {
  return SLICES.some((slice) => before[slice] !== after[slice]);
}
