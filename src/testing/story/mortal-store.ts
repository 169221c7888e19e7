/** A store through which a process dies: at a chosen commit, just after it is durable or just before. */
import { StoreError } from "../../core/error.ts";
import type { Store } from "../../core/store.ts";

/** `after`: the commit is the last thing that happened. `before`: everything happened but the commit. */
export interface CutPoint {
  readonly commit: number;
  readonly when: "before" | "after";
}

export class KilledError extends StoreError {
  constructor() {
    super("this process of the story was killed");
  }
}

export interface Mortality {
  /** Undefined: it never dies. */
  readonly cut?: CutPoint;
  /** Called with each commit that has become durable. */
  readonly onCommit?: () => void;
  readonly onDeath?: () => void;
}

/** The dead one reads and writes nothing more, but for its lease, which is given up: whoever comes next need not wait. */
export function mortalStore(store: Store, { cut, onCommit, onDeath }: Mortality): Store {
  let commits = 0;
  let dead = false;
  const die = (): never => {
    dead = true;
    onDeath?.();
    throw new KilledError();
  };
  const alive = async <T>(act: () => Promise<T>): Promise<T> => {
    if (dead) throw new KilledError();
    return await act();
  };
  return {
    ...store,
    load: (id) => alive(() => store.load(id)),
    append: (...args) => alive(() => store.append(...args)),
    acquire: (...args) => alive(() => store.acquire(...args)),
    renew: (...args) => alive(() => store.renew(...args)),
    commit: (...args) =>
      alive(async () => {
        commits += 1;
        const here = cut?.commit === commits ? cut.when : undefined;
        if (here === "before") die();
        const committed = await store.commit(...args);
        onCommit?.();
        if (here === "after") die();
        return committed;
      }),
    watch: (id, after, listener) => store.watch(id, after, (entry) => void (dead || listener(entry))),
  };
}
