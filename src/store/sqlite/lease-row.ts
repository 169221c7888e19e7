/** The row of a lease, and who holds the session by it. */
import type { Database } from "better-sqlite3";
import type { SessionId } from "../../core/ids.ts";
import type { Holder } from "../../core/store.ts";
import type { StoreParts } from "./parts.ts";

export interface LeaseRow {
  readonly key: number;
  readonly epoch: number;
  readonly owner: string | null;
  readonly host: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly processStart: string;
  readonly expiresAt: number;
}

/** The columns of a lease, of the table named `l`. */
export const LEASE_COLUMNS = `l.epoch, l.owner, l.host, l.pid_namespace as "pidNamespace", l.pid,
  l.process_start as "processStart", l.expires_at as "expiresAt"`;

/** Finds the lease of a session that is not hidden. */
export function createLeaseReader(sqlite: Database): (id: SessionId) => LeaseRow | undefined {
  const leaseOf = sqlite.prepare<[string], LeaseRow>(
    `select s.key, ${LEASE_COLUMNS} from sessions s join leases l on l.session = s.key where s.id = ?`,
  );
  return (id) => leaseOf.get(id);
}

/** Who holds a lease now; undefined if it is free, ran out, or its owner is gone from this host. */
export function holderOf(
  row: Omit<LeaseRow, "key">,
  now: number,
  { isGone }: Pick<StoreParts, "isGone">,
): Holder | undefined {
  if (row.owner === null || row.expiresAt <= now) return undefined;
  const { host, pidNamespace, pid, processStart, expiresAt } = row;
  const owner = { id: row.owner, host, pidNamespace, pid, processStart };
  return isGone(owner) ? undefined : { owner, expiresAt };
}
