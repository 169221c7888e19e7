/** A gate in a hand-made tool or hook: what comes to it waits there until the story opens it. */
import { createHold } from "../fake-model/hold.ts";
import type { Hold } from "../fake-model/hold.ts";

export interface Gate extends Hold {
  /** Announces that somebody is here and waits for the release, or for the abort. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createGate(): Gate {
  return createHold({ after: "request" });
}
