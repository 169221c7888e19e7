/** A list that only grows, shared by every version of a session: each version sees its own length, so a commit copies nothing. */

/**
 * Immutable to whoever holds one: `append` gives a longer log and leaves this one as it was. The items behind are shared; a
 * second append to the same version (the first was refused) copies them once.
 */
export class AppendLog<T extends { readonly id: string }> {
  readonly length: number;
  readonly #items: T[];
  readonly #positions: Map<string, number>;

  private constructor(items: T[], positions: Map<string, number>, length: number) {
    this.#items = items;
    this.#positions = positions;
    this.length = length;
  }

  static of<T extends { readonly id: string }>(items: readonly T[] = []): AppendLog<T> {
    return new AppendLog([...items], positionsOf(items), items.length);
  }

  append(item: T): AppendLog<T> {
    const shared = this.#items.length === this.length;
    const items = shared ? this.#items : this.#items.slice(0, this.length);
    const positions = shared ? this.#positions : positionsOf(items);
    items.push(item);
    positions.set(item.id, this.length);
    return new AppendLog(items, positions, this.length + 1);
  }

  at(position: number): T | undefined {
    const index = position < 0 ? this.length + position : position;
    return index < this.length ? this.#items[index] : undefined;
  }

  get(id: string): T | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.at(position);
  }

  /** The items from a position on; the newest are what a store has still to save. */
  since(position: number): readonly T[] {
    return this.#items.slice(position, this.length);
  }

  /** The same for every version that grew from one log: what is remembered about the items may hang on it. */
  get identity(): object {
    return this.#items;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let at = 0; at < this.length; at += 1) yield this.#items[at] as T;
  }
}

function positionsOf(items: readonly { readonly id: string }[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [at, { id }] of items.entries()) positions.set(id, at);
  return positions;
}
