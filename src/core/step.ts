/** One step: ask every operation in order, and let the first that claims the session act. */
import type { EffectType } from "./effect.ts";
import type { Draft } from "./entry.ts";
import { BatchError } from "./error.ts";
import type { Operation, StepContext } from "./operation.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Session } from "./session.ts";

/** A draft to be committed, and whether it must be durable before the step goes on. */
export interface Commit {
  readonly draft: Draft;
  readonly durability: "each-commit" | "on-barrier";
}

/** Who acted and why; undefined if nobody claimed the session: the machine rests. */
export interface StepResult {
  readonly operation: string | undefined;
  readonly reason: string;
}

/** What a step needs of whoever drives it: the time, and the context for the operation that acts. */
export interface StepHost {
  /** Milliseconds since 1970. */
  now(): number;
  contextFor(operation: Operation): StepContext;
}

/** An operation's answer for people: whether it would act, and why or why not. */
export interface Explanation {
  readonly operation: string;
  readonly claims: boolean;
  readonly why: string;
}

/** Who acts, chosen before anything runs. */
export interface Claimed {
  readonly operation: Operation;
  readonly data: unknown;
  readonly why: string;
}

/** The first operation that claims the session. Pure. */
export function firstClaim(session: Session, pipeline: Pipeline, now: number): Claimed | undefined {
  for (const operation of pipeline.operations) {
    const answer = operation.claim(session, now, pipeline.commands);
    if (answer.claims) return { operation, data: answer.data, why: answer.why };
  }
  return undefined;
}

/** Every operation with its answer; `next` is the one that would act. Pure. */
export function explain(
  session: Session,
  pipeline: Pipeline,
  now: number,
): { readonly operations: readonly Explanation[]; readonly next: string | undefined } {
  const operations = pipeline.operations.map((operation) => {
    const { claims, why } = operation.claim(session, now, pipeline.commands);
    return { operation: operation.name, claims, why };
  });
  return { operations, next: operations.find(({ claims }) => claims)?.operation };
}

/**
 * Stateless: everything it knows is in `session`. Yields each commit for the caller to apply before it goes on; dropping it
 * between two yields is a crash. Throws BatchError for a batch that its operation did not declare.
 */
export async function* step(
  session: Session,
  pipeline: Pipeline,
  host: StepHost,
): AsyncGenerator<Commit, StepResult, void> {
  const claimed = firstClaim(session, pipeline, host.now());
  if (!claimed) return { operation: undefined, reason: "no operation claims the session" };
  const { operation, data, why } = claimed;
  const ctx = host.contextFor(operation);
  let index = 0;
  for await (const effects of operation.run(data, ctx, session)) {
    if (effects.length === 0) continue;
    const undeclared = effects.find(({ type }) => !declares(operation, type));
    if (undeclared)
      throw new BatchError(operation.name, "declared-writes", `it yielded ${undeclared.type} without declaring it`);
    const draft = { at: ctx.now(), base: session.seq, index, operation: operation.name, reason: why, effects };
    yield { draft, durability: operation.durability };
    index += 1;
  }
  return { operation: operation.name, reason: why };
}

function declares(operation: Operation, type: EffectType): boolean {
  return operation.writes.includes(type);
}
