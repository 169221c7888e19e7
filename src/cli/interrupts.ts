/** The first SIGINT or SIGTERM asks for a cancel; the second one, or one before the start, leaves at once. */
import { emptyReport } from "../report.ts";
import type { Report } from "../report.ts";
import { leave, noteLine } from "./output.ts";
import type { OutputFormat } from "./output.ts";

export type Interrupt = "SIGINT" | "SIGTERM";

export interface Interrupts {
  readonly signal: AbortSignal;
  /** The signal that came first. */
  by(): Interrupt | undefined;
  /** To be called before anything is written: whoever is asked for a cancel must heed `signal` from here on. */
  started(): void;
  /** The last line of the JSON formats, if a signal has to print it; null when it was printed. */
  leaveWith(last: (() => Report) | null): void;
  /** Gives the signals back to the system. */
  stop(): void;
}

export function listenForInterrupts(format: OutputFormat): Interrupts {
  const controller = new AbortController();
  let first: Interrupt | undefined;
  let isStarted = false;
  let last: (() => Report) | null = () => emptyReport({ status: "cancelled" });
  const leaveNow = (signal: NodeJS.Signals): void =>
    leave(signal === "SIGTERM" ? 143 : 130, format === "text" ? undefined : last?.());
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first !== undefined) return leaveNow(signal);
    first = signal === "SIGTERM" ? "SIGTERM" : "SIGINT";
    if (!isStarted) {
      noteLine("cancelled before anything was written");
      return leaveNow(signal);
    }
    noteLine("cancelling; once more to leave at once (nothing that was committed is lost)");
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    by: () => first,
    started: () => void (isStarted = true),
    leaveWith: (report) => void (last = report),
    stop() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
