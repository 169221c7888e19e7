/** A mailbox: what is put in from one side is iterated from the other, in order. */

export interface Mailbox<T> {
  /** Ends when the mailbox is closed; one reader. */
  readonly items: AsyncIterable<T>;
  put(item: T): void;
  close(): void;
}

export function createMailbox<T>(): Mailbox<T> {
  const waiting: T[] = [];
  let closed = false;
  let wake = (): void => undefined;
  async function* read(): AsyncGenerator<T, void, void> {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift() as T;
      if (closed) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    items: read(),
    put(item) {
      waiting.push(item);
      wake();
    },
    close() {
      closed = true;
      wake();
    },
  };
}
