/** Follows one session: what is told live, and how the turn ended that an input started. */
import { setTimeout as wait } from "node:timers/promises";
import type { Entry } from "../core/entry.ts";
import type { LiveEvent } from "../core/event.ts";
import { fold } from "../core/fold.ts";
import type { InputId, SessionId, TurnId } from "../core/ids.ts";
import type { TurnOutcome } from "../core/outcome.ts";
import type { Session } from "../core/session.ts";
import type { Sessions } from "../sessions.ts";

export interface EndedTurn {
  readonly id: TurnId;
  readonly outcome: TurnOutcome;
}

export interface Follower {
  /** As it was before the first entry that is told. */
  readonly session: Session;
  /** As it is after the entries that were told. */
  now(): Session;
  /** The turn that an input started, once it has started. */
  turnOf(input: InputId): TurnId | undefined;
  /** How that turn ended, once it has. */
  endOf(input: InputId): EndedTurn | undefined;
  /** Resolves after the next entry, or when the time is over. */
  news(ms: number): Promise<void>;
  /** Resolves when all entries that are there now were told. */
  caughtUp(): Promise<void>;
  commits(): number;
  stop(): void;
}

/** How long to wait for entries that a failing store may never tell. */
const PATIENCE_MS = 2_000;

export async function follow(
  sessions: Sessions,
  id: SessionId,
  told: { entry(entry: Entry): void; event(event: LiveEvent): void },
): Promise<Follower> {
  const turns = createTurns();
  const unfolded: Entry[] = [];
  let [seq, commits] = [0, 0];
  let wake = (): void => undefined;
  const subscription = await sessions.subscribe(id, {
    entry(entry) {
      told.entry(entry);
      turns.learn(entry);
      unfolded.push(entry);
      seq = entry.seq;
      if (entry.type === "commit") commits += 1;
      wake();
    },
    event: (event) => told.event(event),
  });
  const news = async (ms: number): Promise<void> => {
    const timer = new AbortController();
    const entry = new Promise<void>((resolve) => (wake = resolve));
    await Promise.race([entry, wait(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  };
  seq = subscription.session.seq;
  let current = subscription.session;
  return {
    session: subscription.session,
    now: () => (current = unfolded.splice(0).reduce(fold, current)),
    turnOf: turns.of,
    endOf: turns.endOf,
    news,
    async caughtUp() {
      const head = (await sessions.open(id)).seq;
      const giveUp = performance.now() + PATIENCE_MS;
      while (seq < head && performance.now() < giveUp) await news(50);
    },
    commits: () => commits,
    stop: () => subscription.stop(),
  };
}

/** Learns from entries which input started which turn, and how it ended. */
function createTurns() {
  const started = new Map<InputId, TurnId>();
  const ended = new Map<TurnId, TurnOutcome>();
  return {
    learn(entry: Entry): void {
      if (entry.type === "input") return;
      for (const effect of entry.effects) {
        if (effect.type === "turn.start" && effect.inputId !== undefined) started.set(effect.inputId, effect.id);
        if (effect.type === "turn.end" && entry.turn !== null) ended.set(entry.turn, effect.outcome);
      }
    },
    of: (input: InputId): TurnId | undefined => started.get(input),
    endOf: (input: InputId): EndedTurn | undefined => {
      const id = started.get(input);
      const outcome = id && ended.get(id);
      return id && outcome && { id, outcome };
    },
  };
}
