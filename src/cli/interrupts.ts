/** The first SIGINT or SIGTERM asks for a cancel; the second one leaves at once. */
import { noteLine } from "./output.ts";

export type Interrupt = "SIGINT" | "SIGTERM";

export interface Interrupts {
  readonly signal: AbortSignal;
  /** The signal that came first. */
  by(): Interrupt | undefined;
  /** Gives the signals back to the system. */
  stop(): void;
}

export function listenForInterrupts(): Interrupts {
  const controller = new AbortController();
  let first: Interrupt | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first !== undefined) process.exit(signal === "SIGTERM" ? 143 : 130);
    first = signal === "SIGTERM" ? "SIGTERM" : "SIGINT";
    noteLine("cancelling; once more to leave at once (nothing that was committed is lost)");
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    by: () => first,
    stop() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
