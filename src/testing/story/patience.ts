/** How long a performance may take: a story that hangs says where, instead of leaving it to the test runner. */

/** Real time, although the story's own clock is virtual. */
const PATIENCE_MS = 20_000;

/** Rejects with what `describe` says if the promise takes longer. */
export async function patiently<T>(promise: Promise<T>, describe: () => Promise<string>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const impatient = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), PATIENCE_MS);
  });
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), impatient]);
    if (first !== "late") return first.value;
    // Nobody awaits it any more.
    promise.catch(() => undefined);
    throw new Error(`it hangs: nothing came of it within ${PATIENCE_MS / 1_000} s.\n${await describe()}`);
  } finally {
    clearTimeout(timer);
  }
}
