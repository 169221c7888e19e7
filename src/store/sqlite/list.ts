/** The list of sessions, from their heads alone. */
import type { SessionId } from "../../core/ids.ts";
import type { Lifecycle } from "../../core/lifecycle.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { SessionSummary, Store } from "../../core/store.ts";
import { holderOf, LEASE_COLUMNS } from "./lease-row.ts";
import type { LeaseRow } from "./lease-row.ts";
import type { StoreParts } from "./parts.ts";

interface SummaryRow extends LeaseRow {
  readonly id: string;
  readonly seq: number;
  readonly title: string | null;
  readonly workspace: string;
  readonly model: string;
  readonly lifecycle: string;
  readonly outcome: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly cost: number | null;
}

interface Filter {
  readonly prefix: string | null;
  readonly workspace: string | null;
  readonly limit: number;
}

export function createList(parts: StoreParts): Store["list"] {
  const { connection, now } = parts;
  const newest = connection.sqlite.prepare<[Filter], SummaryRow>(
    `select s.id, s.seq, s.title, s.workspace, s.model, s.lifecycle, s.outcome, s.created_at as "createdAt",
        s.updated_at as "updatedAt", s.cost, ${LEASE_COLUMNS}
      from sessions s join leases l on l.session = s.key
      where s.id is not null
        and (:prefix is null or substr(s.id, 1, length(:prefix)) = :prefix)
        and (:workspace is null or s.workspace = :workspace)
      order by s.updated_at desc, s.key desc limit :limit`,
  );
  return (filter = {}) =>
    connection.read(() =>
      newest
        .all({ prefix: filter.prefix ?? null, workspace: filter.workspace ?? null, limit: filter.limit ?? -1 })
        .map((row) => summaryOf(row, now(), parts)),
    );
}

function summaryOf(row: SummaryRow, now: number, parts: StoreParts): SessionSummary {
  return {
    id: row.id as SessionId,
    title: row.title ?? undefined,
    workspace: row.workspace,
    model: row.model,
    seq: row.seq,
    lifecycle: row.lifecycle as Lifecycle,
    outcome: row.outcome === null ? undefined : (JSON.parse(row.outcome) as Outcome),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
    cost: row.cost,
    holder: holderOf(row, now, parts),
  };
}
