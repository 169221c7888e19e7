/** Commits the drafts of a step: fenced by the lease's epoch, not by the head, so that a person typing voids nothing. */
import { advance, isSuperseded } from "../../core/advance.ts";
import type { Advanced } from "../../core/advance.ts";
import type { CommitEntry, Entry, InputEntry } from "../../core/entry.ts";
import { FencedError } from "../../core/error.ts";
import { fold } from "../../core/fold.ts";
import { violated } from "../../core/invariant.ts";
import type { Session } from "../../core/session.ts";
import type { Committed, Lease } from "../../core/store.ts";
import type { Artifacts } from "./artifacts.ts";
import { hashText } from "./contents.ts";
import type { LiveRows } from "./live.ts";
import type { Known } from "./known.ts";
import type { StoreParts } from "./parts.ts";
import type { Saved } from "./save.ts";

type Commit = (lease: Lease, base: Session, advanced: readonly Advanced[]) => Promise<Committed>;

interface Fence {
  readonly key: number;
  readonly seq: number;
  readonly hash: Buffer;
  readonly epoch: number;
}

interface Written {
  readonly committed: Committed;
  readonly saved: Saved;
  /** Says that the artifacts' text is durable. */
  readonly flushed: () => void;
}

export function createCommit(
  parts: StoreParts,
  { artifacts, live }: { readonly artifacts: Artifacts; readonly live: LiveRows },
): Commit {
  const { connection, known, loader, save, watchers } = parts;
  const fenceOf = connection.sqlite.prepare<[string], Fence>(
    `select s.key, s.seq, s.hash, l.epoch from sessions s join leases l on l.session = s.key where s.id = ?`,
  );

  const write = (lease: Lease, base: Session, advanced: readonly Advanced[]): Written => {
    const id = lease.sessionId;
    const fence = fenceOf.get(id);
    if (fence?.epoch !== lease.epoch || fence.seq < base.seq) {
      throw new FencedError(`session ${id} was taken over by another process: nothing of this step was committed`);
    }
    const [first] = advanced;
    if (first && first.entry.seq !== base.seq + 1) {
      violated("seq-without-gap", `entry ${first.entry.seq} was handed over to follow ${base.seq}`);
    }
    const flushed = artifacts.flush(id, fence.key);
    live.clear(fence.key);
    const arrived = fence.seq > base.seq ? loader.entries(fence.key, base.seq, fence.seq - base.seq) : [];
    const { session, entries } = arrived.length === 0 ? asHandedOver(base, advanced) : onTop(arrived, base, advanced);
    const cached = known.get(id);
    const before: Known = {
      key: fence.key,
      hash: hashText(fence.hash),
      session: arrived.reduce(fold, base),
      contents: cached?.key === fence.key ? cached.contents : new Map<string, number>(),
    };
    return {
      flushed,
      saved: save(before, session, entries),
      committed: { session, entries: [...arrived, ...entries], dropped: advanced.length - entries.length },
    };
  };

  return async (lease, base, advanced) => {
    const { committed } = await connection.write(
      () => write(lease, base, advanced),
      ({ saved, flushed, committed: done }) => {
        flushed();
        known.remember(saved.known, saved.learned);
        watchers.tell(lease.sessionId, done.entries);
      },
    );
    return committed;
  };
}

interface Sequel {
  readonly session: Session;
  readonly entries: readonly CommitEntry[];
}

function asHandedOver(base: Session, advanced: readonly Advanced[]): Sequel {
  return { session: advanced.at(-1)?.session ?? base, entries: advanced.map(({ entry }) => entry) };
}

/** The drafts of the first step, made again on top of inputs that arrived, up to one that they supersede. */
function onTop(arrived: readonly Entry[], base: Session, advanced: readonly Advanced[]): Sequel {
  const inputs = arrived.filter((entry): entry is InputEntry => entry.type === "input");
  if (inputs.length < arrived.length) {
    throw new FencedError(
      `session ${base.session.id} was stepped by another process: nothing of this step was committed`,
    );
  }
  let session = arrived.reduce(fold, base);
  const entries: CommitEntry[] = [];
  for (const { entry } of advanced) {
    if (entry.base !== advanced[0]?.entry.base || isSuperseded(session, entry)) break;
    const next = advance(session, entry, entry.epoch);
    session = next.session;
    entries.push(next.entry);
  }
  return { session, entries };
}
