/** The runner: load, take the lease, step, commit, repeat until the machine rests. Nothing else loops over steps. */
import { FencedError, StoreError, UsageError, wordsOf } from "./core/error.ts";
import type { ErrorKind } from "./core/error.ts";
import type { SessionId } from "./core/ids.ts";
import { InvariantError } from "./core/invariant.ts";
import type { Outcome } from "./core/outcome.ts";
import { outcomeOf } from "./core/rest.ts";
import type { Session } from "./core/session.ts";
import type { Holder, Lease } from "./core/store.ts";
import { Driver } from "./driver.ts";
import type { RunnerPorts, RunOptions } from "./driver.ts";
import { LeasedSession } from "./leased-session.ts";

/** How long to wait before a held lease is asked for again. */
const LEASE_RETRY_MS = 200;

/** `outcome` is undefined for a session that never had a turn. `rested`: nothing claims the session any more. */
export type RunResult =
  | {
      readonly status: "ran";
      readonly session: Session;
      readonly outcome: Outcome | undefined;
      readonly rested: boolean;
    }
  | { readonly status: "held"; readonly holder: Holder };

/**
 * Runs a session until it rests. What goes wrong inside ends as an outcome: a broken rule ends the turn `failed`; a bug or a
 * failing store is reported as `failed`, and the turn stays open for the next run. Throws only for a session that is not there.
 */
export async function run(ports: RunnerPorts, sessionId: SessionId, options: RunOptions = {}): Promise<RunResult> {
  const session = await ports.store.load(sessionId);
  if (!session) throw new UsageError(`there is no session ${sessionId}`);
  try {
    const acquired = await acquire(ports, sessionId, options);
    if ("holder" in acquired) return { status: "held", holder: acquired.holder };
    return await runLeased(ports, acquired.lease, options);
  } catch (error) {
    return { status: "ran", session, outcome: failure(error), rested: false };
  }
}

async function runLeased(ports: RunnerPorts, lease: Lease, options: RunOptions): Promise<RunResult> {
  const { store } = ports;
  try {
    const session = await store.load(lease.sessionId);
    if (!session) throw new StoreError(`session ${lease.sessionId} was deleted`);
    const leased = new LeasedSession(lease, session, ports);
    try {
      return await drive(ports, leased, options);
    } finally {
      await leased.close();
    }
  } finally {
    await store.release(lease).catch(() => undefined);
  }
}

async function drive(ports: RunnerPorts, leased: LeasedSession, options: RunOptions): Promise<RunResult> {
  const driver = new Driver(ports, leased, options);
  try {
    const rested = await driver.untilRest();
    return { status: "ran", session: leased.head, outcome: outcomeOf(leased.head), rested };
  } catch (error) {
    // What was yielded before a bug was thrown is committed all the same; a failing store commits nothing more.
    if (!isStoreFailure(error)) await leased.flush().catch(() => undefined);
    leased.discard();
    return { status: "ran", session: leased.head, outcome: failure(error), rested: false };
  } finally {
    driver.close();
  }
}

async function acquire(
  ports: RunnerPorts,
  sessionId: SessionId,
  options: RunOptions,
): Promise<{ readonly lease: Lease } | { readonly holder: Holder }> {
  const signal = options.signal ?? new AbortController().signal;
  for (;;) {
    const acquired = await ports.store.acquire(sessionId, ports.owner, ports.clock.now());
    if (acquired.status === "acquired") return { lease: acquired.lease };
    if (options.wait === false || signal.aborted) return { holder: acquired.holder };
    await ports.clock.sleep(LEASE_RETRY_MS, signal);
  }
}

function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreError || error instanceof FencedError;
}

function failure(error: unknown): Outcome {
  const message = wordsOf(error);
  return { status: "failed", error: { kind: kindOf(error), message } };
}

function kindOf(error: unknown): ErrorKind {
  if (isStoreFailure(error)) return "store";
  if (error instanceof InvariantError) return error.rule === "no_progress" ? "no_progress" : "invariant";
  return "internal";
}
