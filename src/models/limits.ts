/** Watches over one request: it is given up when its caller aborts, or when it keeps us waiting for too long. */

/** How long a request may take: to its first byte, without any byte while we wait for one, and as a whole. */
export interface TimeLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Connecting has no entry: undici gives up after 10 s by itself, and that failure is told apart as `connect`. */
export const DEFAULT_LIMITS: TimeLimits = { firstByteMs: 60_000, idleMs: 120_000, totalMs: 30 * 60_000 };

/** The port of timers: acts once after `ms`, unless the returned function is called before. */
export type StartTimer = (act: () => void, ms: number) => () => void;

export const startRealTimer: StartTimer = (act, ms) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

export type LimitName = "first-byte" | "idle" | "total";

export interface Watch {
  /** To be given to the request; aborted when it is given up. */
  readonly signal: AbortSignal;
  /** The limit that was hit, if one was. */
  limit(): LimitName | undefined;
  /** Tells that something arrived. */
  alive(): void;
  /** The promise's outcome, or a rejection as soon as the request is given up, even if the promise never settles. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Ends all timers and closes what is still open. */
  end(): void;
}

export function watchOver(caller: AbortSignal, limits: TimeLimits, startTimer: StartTimer): Watch {
  const controller = new AbortController();
  let limit: LimitName | undefined;
  let giveUp: (() => void) | undefined;
  let started = false;
  const stop = () => {
    controller.abort();
    giveUp?.();
  };
  const hit = (name: LimitName) => () => {
    limit ??= name;
    stop();
  };
  const stopTotal = startTimer(hit("total"), limits.totalMs);
  const stopFirst = startTimer(hit("first-byte"), limits.firstByteMs);
  let stopIdle = () => {};
  // Only time in which we wait counts: a slow reader is not the provider's silence.
  const restartIdle = () => {
    stopIdle();
    if (started && giveUp !== undefined) stopIdle = startTimer(hit("idle"), limits.idleMs);
  };
  caller.addEventListener("abort", stop, { once: true });
  if (caller.aborted) stop();
  return {
    signal: controller.signal,
    limit: () => limit,
    alive() {
      started = true;
      stopFirst();
      restartIdle();
    },
    async wait(promise) {
      try {
        return await new Promise((resolve, reject) => {
          giveUp = () => reject(new Error("The request was given up"));
          promise.then(resolve, reject);
          restartIdle();
          if (controller.signal.aborted) giveUp();
        });
      } finally {
        giveUp = undefined;
        stopIdle();
      }
    },
    end() {
      for (const cancel of [stopTotal, stopFirst, stopIdle]) cancel();
      caller.removeEventListener("abort", stop);
      controller.abort();
    },
  };
}

/** The same fetch, which tells of every byte of a body that arrives. */
export function watchedFetch(fetch: typeof globalThis.fetch, alive: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        alive();
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
  };
}
