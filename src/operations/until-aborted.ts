/** Lets nothing outside decide how long a cancel takes. */

/** The pieces until the abort, after which nothing is waited for, whether the source listens to the signal or not. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  const pieces = source[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  try {
    while (!signal.aborted) {
      const produced = pieces.next();
      // Nobody awaits it any more once the abort has won.
      produced.catch(() => undefined);
      const next = await Promise.race([produced, aborted]);
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    // A source that hangs never comes to its end.
    void pieces.return?.().catch(() => undefined);
  }
}
