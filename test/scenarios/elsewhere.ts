/** Another process on the database of a story: a store handle of its own, for as long as it acts. */
import { randomId } from "../../src/system.ts";
import type { Effect, EffectType } from "../../src/core/effect.ts";
import type { Entry } from "../../src/core/entry.ts";
import type { Input } from "../../src/core/input.ts";
import type { Appended, Store } from "../../src/core/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import type { Agent } from "../../src/testing/index.ts";

export async function elsewhere<T>({ database, clock }: Agent, act: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({
    path: database,
    durability: "normal",
    now: () => clock.now(),
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

/** Sends an input as somebody in another process. */
export function sendFromElsewhere(agent: Agent, input: Sent, author = "ada"): Promise<Appended> {
  const whole = { ...input, id: randomId(), author } as Input;
  return elsewhere(agent, (store) => store.append(agent.sessionId, whole, agent.clock.now()));
}

export function words(text: string): readonly [{ readonly type: "text"; readonly text: string }] {
  return [{ type: "text", text }];
}
