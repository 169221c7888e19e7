/** A session under a lease: the head that steps see, what of it is not durable yet, and the one way to make it so. */
import { advance, isSuperseded } from "./core/advance.ts";
import type { Advanced } from "./core/advance.ts";
import type { Clock } from "./core/clock.ts";
import type { Draft } from "./core/entry.ts";
import { FencedError } from "./core/error.ts";
import type { Session } from "./core/session.ts";
import { HEARTBEAT_MS, LEASE_MS } from "./core/store.ts";
import type { Lease, Store } from "./core/store.ts";

/** Inputs arrived that void what the step was doing; nothing outside was touched: look at the session again. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** Owns a heartbeat, which `close` stops. */
export class LeasedSession {
  readonly lease: Lease;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #heartbeat: NodeJS.Timeout;
  #durable: Session;
  #head: Session;
  #pending: Advanced[] = [];
  #renewedAt: number;
  #writing: Promise<unknown> = Promise.resolve();
  #lost = false;
  #failure: Error | undefined;
  /** Of the step in flight: what its claim saw, and whether that is no longer what the journal has there. */
  #base = 0;
  #void = false;
  /** Called once when the heartbeat finds that another process took the lease over. */
  onLost: () => void = () => undefined;

  constructor(lease: Lease, session: Session, ports: { readonly store: Store; readonly clock: Clock }) {
    this.lease = lease;
    this.#store = ports.store;
    this.#clock = ports.clock;
    this.#durable = this.#head = session;
    this.#renewedAt = ports.clock.now();
    this.#heartbeat = setInterval(() => void this.#renew().catch(() => false), HEARTBEAT_MS);
  }

  /** The session as the next step sees it. */
  get head(): Session {
    return this.#head;
  }

  /** The session for a step that begins now. */
  begin(): Session {
    this.#base = this.#head.seq;
    this.#void = false;
    return this.#head;
  }

  /** Takes the head over a draft. It is durable only after a flush. Throws BatchError, or SupersededError as flush does. */
  apply(draft: Draft): void {
    this.#checkStanding();
    if (isSuperseded(this.#head, draft))
      throw new SupersededError("an input that the step has not seen stands against it");
    const advanced = advance(this.#head, draft, this.lease.epoch);
    this.#pending.push(advanced);
    this.#head = advanced.session;
  }

  /** Makes durable what was applied. Throws SupersededError if some of it was dropped, FencedError if the lease is lost. */
  flush(): Promise<void> {
    return this.#serially(async () => {
      if (this.#failure) throw this.#failure;
      if (this.#pending.length === 0) return;
      if (this.#lost) throw this.#fenced();
      const pending = this.#pending;
      this.#pending = [];
      const { seq } = this.#durable;
      const committed = await this.#store
        .commit(this.lease, this.#durable, pending)
        .catch((error: unknown) => this.#fail(error));
      this.#durable = this.#head = committed.session;
      // Inputs stand before what the step's claim saw: nobody could ask it again at its base.
      this.#void ||= committed.entries.length > pending.length - committed.dropped && this.#base > seq;
      if (committed.dropped > 0) throw new SupersededError("inputs arrived meanwhile");
    });
  }

  /** Flushes and makes sure that the lease still holds: what follows may touch the outside. */
  async barrier(): Promise<void> {
    await this.flush();
    this.#checkStanding();
    const overslept = this.#clock.now() - this.#renewedAt >= LEASE_MS;
    if (this.#lost || (overslept && !(await this.#renew()))) throw this.#fenced();
  }

  /** Flushes, then sees what others appended. */
  async refresh(): Promise<void> {
    await this.flush();
    await this.#serially(async () => {
      const session = await this.#store.load(this.lease.sessionId);
      if (session && this.#pending.length === 0) this.#durable = this.#head = session;
    });
    // What a step applied in between stands on the old head; its commit finds what others appended by itself.
    await this.flush();
  }

  /** Forgets what was applied but not flushed. */
  discard(): void {
    this.#pending = [];
    this.#head = this.#durable;
  }

  /** Stops the heartbeat, after what is being written; the lease is given up by whoever took it. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#writing;
  }

  async #renew(): Promise<boolean> {
    const now = this.#clock.now();
    const held = await this.#store.renew(this.lease, now);
    if (held) this.#renewedAt = now;
    else if (!this.#lost) {
      this.#lost = true;
      this.onLost();
    }
    return held;
  }

  /** A commit that failed leaves nothing to go on from: whoever asked for it, the run is over. */
  #fail(error: unknown): never {
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.discard();
    throw this.#failure;
  }

  #checkStanding(): void {
    if (this.#failure) throw this.#failure;
    if (this.#void) throw new SupersededError("inputs arrived before the step had done anything");
  }

  #fenced(): FencedError {
    return new FencedError(`session ${this.lease.sessionId} was taken over by another process`);
  }

  /** One write or read at a time: a step's commit and a look for inputs may be asked for together. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(work);
    this.#writing = result.catch(() => undefined);
    return result;
  }
}
