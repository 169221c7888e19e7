/** One step while it runs: what its operation is given, what it hears, and how it is stopped. */
import { getEventListeners } from "node:events";
import type { Clock } from "./core/clock.ts";
import type { Hasher } from "./core/content.ts";
import type { Contributions } from "./core/contribution.ts";
import type { LiveEvent } from "./core/event.ts";
import type { NewId } from "./core/ids.ts";
import type { InputKind, PendingInput } from "./core/input.ts";
import { createMailbox } from "./core/mailbox.ts";
import type { Mailbox } from "./core/mailbox.ts";
import type { Operation, StepContext } from "./core/operation.ts";
import type { Pipeline } from "./core/pipeline.ts";
import type { Session } from "./core/session.ts";
import type { LeasedSession } from "./leased-session.ts";
import type { LiveFeed } from "./live-feed.ts";

/** How long an operation may take, once aborted, to yield what it holds. */
const GRACE_MS = 1_000;

export interface StepPorts {
  readonly pipeline: Pipeline;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly hasher: Hasher;
  /** The door for text from outside; see StepContext.clean. */
  readonly clean: (text: string) => string;
}

/** What an operation hears that declares to hear nothing. */
const NOTHING: AsyncIterable<PendingInput> = { async *[Symbol.asyncIterator]() {} };

/**
 * Owns the timer of the grace. There are several steps between two answers of a model, so what most of them never ask for
 * (a signal, a mailbox) is made on demand.
 */
export class RunningStep implements StepContext {
  readonly epoch: number;
  readonly newId: NewId;
  readonly clean: (text: string) => string;
  readonly #ports: StepPorts;
  readonly #leased: LeasedSession;
  readonly #live: LiveFeed;
  readonly #session: Session;
  #controller: AbortController | undefined;
  #grace: NodeJS.Timeout | undefined;
  #aborted = false;
  #closed = false;
  #over = false;
  #leave: (() => void) | undefined;
  #hears: readonly InputKind[] = [];
  #heard: Mailbox<PendingInput> | undefined;

  constructor(ports: StepPorts, leased: LeasedSession, live: LiveFeed) {
    this.epoch = leased.lease.epoch;
    this.newId = ports.newId;
    this.clean = ports.clean;
    this.#ports = ports;
    this.#leased = leased;
    this.#live = live;
    this.#session = leased.head;
  }

  /** Takes over what a step before this one made and nobody uses: an AbortController costs more than most steps. */
  inherit(before: RunningStep): void {
    const { signal } = before.#controller ?? {};
    if (!signal || signal.aborted || getEventListeners(signal, "abort").length > 0) return;
    this.#controller = before.#controller;
    before.#controller = undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  get heard(): AsyncIterable<PendingInput> {
    return this.#heard?.items ?? NOTHING;
  }

  now(): number {
    return this.#ports.clock.now();
  }

  hash(value: unknown): string {
    return this.#ports.hasher.content(value).hash;
  }

  emit(event: LiveEvent): void {
    if (!this.#closed) this.#live.emit(event);
  }

  barrier(): Promise<void> {
    return this.#closed ? Promise.reject(this.#isOver()) : this.#leased.barrier();
  }

  contributions(): Promise<Contributions> {
    return this.#closed ? Promise.reject(this.#isOver()) : this.#ports.pipeline.contributions(this.#session);
  }

  /** An operation that was left behind must not touch the outside any more. */
  #isOver(): Error {
    return new Error("this step is over: it was cancelled, or its commits gave way to an input");
  }

  /** The context for the operation that acts. */
  contextFor({ hears }: Operation): StepContext {
    this.#hears = hears;
    if (hears.length > 0) this.#heard = createMailbox();
    return this;
  }

  hears(kind: InputKind): boolean {
    return this.#hears.includes(kind);
  }

  hear(pending: PendingInput): void {
    this.#heard?.put(pending);
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#controller?.abort();
    if (this.#closed) return;
    this.#grace = setTimeout(() => {
      this.#over = true;
      this.#leave?.();
    }, GRACE_MS);
  }

  /** What the promise comes to, or `over` once the step was aborted and its grace has passed; a later rejection is nobody's. */
  unlessOver<T>(promise: Promise<T>): Promise<T | "over"> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve("over");
      if (this.#over) this.#leave();
      promise.then(resolve, reject);
    });
  }

  /** Nothing is awaited any more, and nothing heard. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#grace);
    this.#leave = undefined;
    this.#hears = [];
    this.#heard?.close();
  }
}
