/** A store whose handle and caches are thrown away after every commit, while whoever commits goes on. */
import type { Entry } from "../../core/entry.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import type { Artifacts, Store } from "../../core/store.ts";
import { wholeSession } from "./whole-session.ts";

interface Watcher {
  readonly id: SessionId;
  readonly listener: (entry: Entry) => void;
  seq: number;
  stop(): void;
}

/** The session that a commit gives back is loaded by the new handle, so that the projection is what goes on. */
export async function openReopeningStore(open: () => Promise<Store>): Promise<Store> {
  const handle = createHandle(await open(), open);
  const { alone } = handle;
  return {
    artifacts: handle.artifacts,
    live: {
      write: (...args) => handle.current().live.write(...args),
      read: (id) => alone((store) => store.live.read(id)),
    },
    create: (...args) => alone((store) => store.create(...args)),
    load: (id) => alone(async (store) => loaded(await store.load(id))),
    list: (filter) => alone((store) => store.list(filter)),
    append: (...args) => alone((store) => store.append(...args)),
    acquire: (...args) => alone((store) => store.acquire(...args)),
    renew: (...args) => alone((store) => store.renew(...args)),
    release: (lease) => alone((store) => store.release(lease)),
    holder: (id) => alone((store) => store.holder(id)),
    commit: (...args) =>
      alone(async (store) => {
        const committed = await store.commit(...args);
        const fresh = await handle.reopen();
        const session = await fresh.load(committed.session.session.id);
        return session?.seq === committed.session.seq ? { ...committed, session: wholeSession(session) } : committed;
      }),
    entries: (...args) => alone((store) => store.entries(...args)),
    watch: (...args) => handle.watch(...args),
    verify: (id) => alone((store) => store.verify(id)),
    export: (id) => handle.current().export(id),
    import: (...args) => alone((store) => store.import(...args)),
    delete: (...args) => alone((store) => store.delete(...args)),
    close: () => alone((store) => store.close()),
  };
}

function loaded(session: Session | undefined): Session | undefined {
  return session && wholeSession(session);
}

/** One thing at a time, so that nobody holds a handle that is being closed. */
function createHandle(first: Store, open: () => Promise<Store>) {
  let store = first;
  let last: Promise<unknown> = Promise.resolve();
  const watchers = new Set<Watcher>();
  const late = createLateWrites(() => store.artifacts);
  const follow = (watcher: Watcher): void => {
    const stop = store.watch(watcher.id, watcher.seq, (entry) => {
      watcher.seq = entry.seq;
      watcher.listener(entry);
    });
    watcher.stop = stop;
  };
  const alone = <T>(act: (current: Store) => Promise<T>): Promise<T> => {
    const result = last.then(() => act(store));
    last = result.catch(() => undefined);
    return result;
  };
  return {
    artifacts: late.artifacts,
    current: () => store,
    alone,
    watch(id: SessionId, after: number, listener: (entry: Entry) => void) {
      const watcher: Watcher = { id, listener, seq: after, stop: () => undefined };
      watchers.add(watcher);
      follow(watcher);
      return () => {
        watchers.delete(watcher);
        watcher.stop();
      };
    },
    async reopen(): Promise<Store> {
      late.hold();
      const [old, fresh] = [store, await open()];
      for (const watcher of watchers) watcher.stop();
      store = fresh;
      for (const watcher of watchers) follow(watcher);
      late.release();
      await old.close();
      return fresh;
    },
  };
}

/** What a running tool writes between the commit and the new handle is for the new one. */
function createLateWrites(current: () => Artifacts) {
  let held: Parameters<Artifacts["write"]>[] | undefined;
  return {
    artifacts: {
      write: (...args: Parameters<Artifacts["write"]>) => {
        if (held) held.push(args);
        else current().write(...args);
      },
      read: (...args: Parameters<Artifacts["read"]>) => current().read(...args),
    },
    hold() {
      held = [];
    },
    release() {
      const writes = held ?? [];
      held = undefined;
      for (const args of writes) current().write(...args);
    },
  };
}
