/** Time, as a port: everything that waits or stamps asks it, so that tests and replays decide what time it is. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a while, or as soon as the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
