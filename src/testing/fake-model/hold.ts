/** Replies that wait for the test, so that a story can act while the model is in the middle of a sentence. */
import type { HoldPoint } from "./reply.ts";

/** The handle of a held reply. All replies of one rule share it; once released it holds nothing any more. */
export interface Hold {
  /** Resolves when the first reply has got as far as it may and waits. */
  readonly reached: Promise<void>;
  /** Resolves when the client goes away while its reply is held. */
  readonly abandoned: Promise<void>;
  /** Lets the held replies, and those that follow, go on. Harmless when repeated. */
  release(): void;
}

/** A hold together with the side that the server sees. */
export interface HeldReply extends Hold {
  readonly point: HoldPoint;
  /** Announces that the reply is here and waits for the release, or for the client to leave. */
  wait(gone: AbortSignal): Promise<void>;
}

export function createHold(point: HoldPoint): HeldReply {
  const reached = gate();
  const abandoned = gate();
  const released = gate();
  return {
    point,
    reached: reached.opened,
    abandoned: abandoned.opened,
    release: released.open,
    async wait(gone) {
      reached.open();
      const left = gate();
      const onGone = () => {
        abandoned.open();
        left.open();
      };
      if (gone.aborted) onGone();
      gone.addEventListener("abort", onGone, { once: true });
      await Promise.race([released.opened, left.opened]);
      gone.removeEventListener("abort", onGone);
    },
  };
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
