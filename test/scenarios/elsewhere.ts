/** Another process on the database of a story: a store handle of its own, for as long as it acts. */
import { dirname, join } from "node:path";
import { randomId } from "../../src/app.ts";
import type { Effect, EffectType } from "../../src/core/effect.ts";
import type { Entry } from "../../src/core/entry.ts";
import type { Input } from "../../src/core/input.ts";
import type { Appended, Store } from "../../src/core/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import type { Agent } from "../../src/testing/index.ts";

type Place = Pick<Agent, "workspace">;

/** Also for tools and hooks, which know no more of their story than its folder. */
export async function elsewhere<T>({ workspace }: Place, act: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({
    path: join(dirname(workspace), "sessions.db"),
    durability: "normal",
    now: () => Date.UTC(2026, 0, 1),
    isGone: () => false,
  });
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

export function effectsOf<T extends EffectType>(
  entries: readonly Entry[],
  type: T,
): readonly Extract<Effect, { type: T }>[] {
  const all = entries.flatMap((entry) => (entry.type === "commit" ? entry.effects : []));
  return all.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
}

/** What a follower was told by the time it heard of an effect. */
export function told(store: Store, { sessionId }: Agent, type: EffectType): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  return new Promise((resolve) => {
    const stop = store.watch(sessionId, 0, (entry) => {
      entries.push(entry);
      if (effectsOf([entry], type).length === 0) return;
      stop();
      resolve(entries);
    });
  });
}

type Sent = { [K in Input["type"]]: Omit<Extract<Input, { type: K }>, "id" | "author"> }[Input["type"]];

/** Sends an input to the only session there is, as somebody in another process. */
export function sendFromElsewhere(place: Place, input: Sent, author = "ada"): Promise<Appended> {
  return elsewhere(place, async (store) => {
    const [session] = await store.list({});
    if (!session) throw new Error("there is no session to send anything to");
    const whole = { ...input, id: randomId(), author } as Input;
    return store.append(session.id, whole, Date.UTC(2026, 0, 1));
  });
}

export function words(text: string): readonly [{ readonly type: "text"; readonly text: string }] {
  return [{ type: "text", text }];
}
