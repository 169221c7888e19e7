/** Another process on the database of a story: a store handle of its own, for as long as it acts. */
import { dirname, join } from "node:path";
import { randomId } from "../../src/app.ts";
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
