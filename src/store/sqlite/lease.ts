/** Leases: who may step a session. The epoch rises with every new owner, so that a commit of an older one is known. */
import { UsageError } from "../../core/error.ts";
import type { SessionId } from "../../core/ids.ts";
import { LEASE_MS } from "../../core/store.ts";
import type { Acquired, Holder, Lease, LeaseOwner } from "../../core/store.ts";
import type { Artifacts } from "./artifacts.ts";
import { createLeaseReader, holderOf } from "./lease-row.ts";
import type { LiveRows } from "./live.ts";
import type { StoreParts } from "./parts.ts";

export interface Leases {
  acquire(id: SessionId, owner: LeaseOwner, now: number): Promise<Acquired>;
  renew(lease: Lease, now: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  holder(id: SessionId): Promise<Holder | undefined>;
}

/** What a new owner finds left behind, and which sessions this process holds. */
interface LeaseSurroundings {
  readonly artifacts: Artifacts;
  readonly live: LiveRows;
  readonly held: Set<SessionId>;
}

export function createLeases(parts: StoreParts, { artifacts, live, held }: LeaseSurroundings): Leases {
  const { connection } = parts;
  const leaseOf = createLeaseReader(connection.sqlite);
  const take = connection.sqlite.prepare(
    `update leases set epoch = ?, owner = ?, host = ?, pid_namespace = ?, pid = ?, process_start = ?, expires_at = ?
      where session = ?`,
  );
  const prolong = connection.sqlite.prepare(
    `update leases set expires_at = ? where epoch = ? and owner = ?
      and session = (select key from sessions where id = ?)`,
  );
  const free = connection.sqlite.prepare(
    `update leases set owner = null, expires_at = null where epoch = ? and owner = ?
      and session = (select key from sessions where id = ?)`,
  );

  const acquire = (id: SessionId, owner: LeaseOwner, now: number): Acquired => {
    const row = leaseOf(id);
    if (!row) throw new UsageError(`there is no session ${id}`);
    const holder = holderOf(row, now, parts);
    if (holder) return { status: "held", holder };
    const epoch = row.epoch + 1;
    const { host, pidNamespace, pid, processStart } = owner;
    take.run(epoch, owner.id, host, pidNamespace, pid, processStart, now + LEASE_MS, row.key);
    artifacts.sweep(id, row.key);
    live.clear(row.key);
    return { status: "acquired", lease: { sessionId: id, owner, epoch } };
  };

  return {
    acquire: (id, owner, now) =>
      connection.write(
        () => acquire(id, owner, now),
        ({ status }) => {
          if (status === "acquired") held.add(id);
        },
      ),
    renew: ({ sessionId, owner, epoch }, now) =>
      connection.write(() => prolong.run(now + LEASE_MS, epoch, owner.id, sessionId).changes === 1),
    async release({ sessionId, owner, epoch }) {
      held.delete(sessionId);
      await connection.write(() => free.run(epoch, owner.id, sessionId));
    },
    holder: (id) =>
      connection.read(() => {
        const row = leaseOf(id);
        return row && holderOf(row, parts.now(), parts);
      }),
  };
}
