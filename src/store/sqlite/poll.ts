/** The only timer that looks for what other processes did. */

/** Milliseconds between looks. */
const SOONEST = 25;
const LATEST = 250;

export interface Poll {
  start(): void;
  stop(): void;
}

/** Looks again and again, later each time unless something had changed. The timer does not keep the process alive. */
export function createPoll(hasChanged: () => boolean): Poll {
  let timer: NodeJS.Timeout | undefined;
  let pause = SOONEST;
  const look = (): void => {
    pause = hasChanged() ? SOONEST : Math.min(pause * 2, LATEST);
    if (timer) timer = setTimeout(look, pause).unref();
  };
  return {
    start() {
      pause = SOONEST;
      timer ??= setTimeout(look, pause).unref();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
