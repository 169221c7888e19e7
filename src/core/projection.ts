/** A session as plain JSON, for people, scripts and comparisons: two sessions are equal if their projections are. */
import type { Call } from "./call.ts";
import type { JsonObject } from "./json.ts";
import { lifecycleOf } from "./lifecycle.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Message } from "./message.ts";
import type { Outcome } from "./outcome.ts";
import { outcomeOf } from "./rest.ts";
import type { Session, SessionInfo, Turn, Usage } from "./session.ts";

/** Times are ISO text. `outcome` is null while the session has something to do. */
export interface Projection {
  readonly session: SessionInfo & { readonly seq: number };
  readonly turn: (Omit<Turn, "startedAt"> & { readonly startedAt: string }) | null;
  readonly lifecycle: Lifecycle;
  readonly outcome: Outcome | null;
  readonly messages: readonly Message[];
  readonly calls: readonly ProjectedCall[];
  readonly inputs: readonly object[];
  readonly questions: Session["questions"];
  readonly timers: Session["timers"];
  readonly usage: Usage;
  readonly notes: Session["notes"];
  readonly children: readonly never[];
}

/** `args` are the final arguments; null before the call is admitted. */
export type ProjectedCall = Omit<Call, "args" | "times"> & {
  readonly args: JsonObject | null;
  readonly idempotencyKey: string;
  readonly times: Readonly<Record<string, string>>;
};

export function projectionOf(session: Session): Projection {
  const { seq, turn, calls } = session;
  return {
    session: { ...session.session, seq },
    turn: turn ? { ...turn, startedAt: iso(turn.startedAt) } : null,
    lifecycle: lifecycleOf(session),
    outcome: standingOf(session) ?? null,
    messages: [...session.messages].map((message) => ({ ...message })),
    calls: [...calls.settled, ...calls.open.values()].map(projectedCall),
    inputs: session.inputs.map((item) => ({ ...item, at: iso(item.at) })),
    questions: session.questions,
    timers: session.timers,
    usage: session.usage,
    notes: session.notes,
    children: [],
  };
}

/** How a session stands for somebody who only looks at it: undefined while it is deciding or acting, or was never used. */
export function standingOf(session: Session): Outcome | undefined {
  const lifecycle = lifecycleOf(session);
  return lifecycle === "deciding" || lifecycle === "acting" ? undefined : outcomeOf(session);
}

function projectedCall(call: Call): ProjectedCall {
  const times = Object.entries<number>(call.times as Record<string, number>).map(
    ([stage, at]) => [stage, iso(at)] as const,
  );
  return {
    ...call,
    args: call.args ?? null,
    idempotencyKey: call.id,
    times: Object.fromEntries(times),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
