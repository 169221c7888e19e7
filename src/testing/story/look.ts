/** Looks at a story with the eyes of a process that has never seen its session. */
import type { App } from "../../app.ts";
import type { Entry } from "../../core/entry.ts";
import type { World } from "./world.ts";

export async function look<T>(world: World, at: (app: App) => Promise<T>): Promise<T> {
  const app = await world.openApp();
  try {
    return await at(app);
  } finally {
    await app.close();
  }
}

export function entriesOf(world: World): Promise<readonly Entry[]> {
  return look(world, (app) => app.store.entries(world.sessionId, 0, Number.MAX_SAFE_INTEGER));
}
