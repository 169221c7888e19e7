/** Tells a listener: what it does with the news is no part of what made the news. */

/** Calls a listener that must not throw. If it does, the error is nobody's but its own: it is uncaught, once we are done. */
export function tellListener(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
