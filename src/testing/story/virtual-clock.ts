/** A clock that moves only when somebody sleeps: waits cost nothing, and times are the same in every run. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { createHold } from "../fake-model/hold.ts";
import type { HeldReply, Hold } from "../fake-model/hold.ts";

export interface VirtualClock extends Clock {
  /** Makes sleeps wait for the release, or for their abort, so that a story can act while something sleeps. */
  hold(): Hold;
  releaseAll(): void;
}

/** The first moment of every story: 2026-01-01T00:00:00Z. */
const START = Date.UTC(2026, 0, 1);

export function createVirtualClock(): VirtualClock {
  let now = START;
  let held: HeldReply | undefined;
  return {
    now: () => now,
    async sleep(ms, signal) {
      await held?.wait(signal);
      await turnOfTheLoop();
      if (!signal.aborted) now += Math.max(0, ms);
    },
    hold() {
      held = createHold({ after: "request" });
      return held;
    },
    releaseAll: () => held?.release(),
  };
}
