/** Runs writes that are ready together in one transaction: each succeeds or fails alone, all become durable with one sync. */
import type { Database } from "better-sqlite3";
import { isBusy } from "./failure.ts";

/** One write: synchronous, and told how it went once that is certain. */
export interface Job {
  run(): unknown;
  succeed(value: unknown): void;
  fail(error: unknown): void;
}

type Result =
  | { readonly job: Job; readonly ok: true; readonly value: unknown }
  | { readonly job: Job; readonly ok: false; readonly error: unknown };

/** Empties the queue and runs what was in it; false, with nothing taken, if another connection is writing. */
export type RunBatch = (queue: Job[]) => boolean;

export function createBatches(sqlite: Database): RunBatch {
  const begin = sqlite.prepare<[]>("begin immediate");
  const commit = sqlite.prepare<[]>("commit");
  const rollback = sqlite.prepare<[]>("rollback");
  const guarded = createGuard(sqlite);

  const transaction = (jobs: readonly Job[]): readonly Result[] => {
    const [only] = jobs;
    try {
      const results = jobs.length === 1 && only ? [attempt(only)] : jobs.map(guarded);
      // After an error such as a full disk SQLite has rolled back everything, earlier jobs included.
      const broken = sqlite.inTransaction ? undefined : results.find((result) => !result.ok);
      if (broken) return jobs.map((job) => ({ ...broken, job }));
      if (results.some((result) => result.ok)) commit.run();
      return results;
    } catch (error) {
      return jobs.map((job) => ({ job, ok: false, error }));
    } finally {
      if (sqlite.inTransaction) rollback.run();
    }
  };

  return (queue) => {
    try {
      begin.run();
    } catch (error) {
      if (isBusy(error)) return false;
      for (const job of queue.splice(0)) job.fail(error);
      return true;
    }
    for (const result of transaction(queue.splice(0))) {
      if (result.ok) result.job.succeed(result.value);
      else result.job.fail(result.error);
    }
    return true;
  };
}

function attempt(job: Job): Result {
  try {
    return { job, ok: true, value: job.run() };
  } catch (error) {
    return { job, ok: false, error };
  }
}

/** Runs a job behind a savepoint, so that its failure takes only its own writes back. */
function createGuard(sqlite: Database): (job: Job) => Result {
  const savepoint = sqlite.prepare<[]>("savepoint job");
  const release = sqlite.prepare<[]>("release job");
  const back = sqlite.prepare<[]>("rollback to job");
  return (job) => {
    savepoint.run();
    const result = attempt(job);
    if (!sqlite.inTransaction) return result;
    if (!result.ok) back.run();
    release.run();
    return result;
  };
}
