/** The clock and the random ids of this machine. */
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "./core/clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await wait(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
  },
};

const ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

const ID_LENGTH = 16;

/** Random bytes for many ids at once: to ask the system for so few costs more than all else about an id. */
let pool = randomBytes(0);
let used = 0;

/** 16 characters of an alphabet of 32 that nobody misreads: 80 random bits. */
export function randomId<T extends string>(): T {
  if (used === pool.length) {
    pool = randomBytes(256 * ID_LENGTH);
    used = 0;
  }
  let id = "";
  for (const end = used + ID_LENGTH; used < end; used += 1) id += ID_ALPHABET[(pool[used] ?? 0) % ID_ALPHABET.length];
  return id as T;
}
