/** What the body of a story saw when nobody was killed, so that a performance that a kill has changed can go on. */

/** The answers to each question, in the order in which it was asked. */
export interface Memory {
  readonly transcript: string[];
  readonly effects: (readonly string[])[];
  readonly read: string[];
}

export function emptyMemory(): Memory {
  return { transcript: [], effects: [], read: [] };
}

export interface Recall {
  answer<K extends keyof Memory>(question: K, found: Memory[K][number]): Memory[K][number];
}

/** Keeps every answer. */
export function remembering(memory: Memory): Recall {
  return {
    answer(question, found) {
      (memory[question] as unknown[]).push(found);
      return found;
    },
  };
}

/** Gives the answers of another performance as long as this one is `changed`. */
export function recalling(memory: Memory, changed: () => boolean): Recall {
  const asked: Record<keyof Memory, number> = { transcript: 0, effects: 0, read: 0 };
  return {
    answer<K extends keyof Memory>(question: K, found: Memory[K][number]) {
      const known = memory[question][asked[question]] as Memory[K][number] | undefined;
      asked[question] += 1;
      return changed() ? (known ?? found) : found;
    },
  };
}
