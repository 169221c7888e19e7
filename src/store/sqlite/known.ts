/** What this process remembers of sessions, so that a load costs what changed since. */
import type { SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import { learn } from "./contents.ts";
import type { ContentRefs } from "./contents.ts";

/** A session as of its last entry in the journal, the hash of that entry, and the key of its rows. */
export interface Known {
  readonly key: number;
  readonly hash: string;
  readonly session: Session;
  readonly contents: ContentRefs;
}

export interface KnownSessions {
  get(id: SessionId): Known | undefined;
  /** Only what is durable. What is older than what is known is ignored. */
  remember(known: Known, learned?: ContentRefs): void;
  forget(id: SessionId): void;
}

/** Of sessions that nobody has touched for long, the least recent are forgotten. */
const MOST_SESSIONS = 64;

export function createKnownSessions(): KnownSessions {
  const byId = new Map<SessionId, Known>();
  return {
    get: (id) => byId.get(id),
    remember(known, learned) {
      if (learned) learn(known.contents, learned);
      const { id } = known.session.session;
      const before = byId.get(id);
      if (before && before.key === known.key && before.session.seq > known.session.seq) return;
      byId.delete(id);
      byId.set(id, known);
      if (byId.size <= MOST_SESSIONS) return;
      const [oldest] = byId.keys();
      if (oldest !== undefined) byId.delete(oldest);
    },
    forget(id) {
      byId.delete(id);
    },
  };
}
