/** Operations: the one way to add behaviour. An operation decides purely and acts effectfully; it keeps no state. */
import type { Contribution, Contributions } from "./contribution.ts";
import type { Effect, EffectOf, EffectType } from "./effect.ts";
import type { LiveEvent } from "./event.ts";
import type { NewId } from "./ids.ts";
import type { InputKind, PendingInput, PromptPart } from "./input.ts";
import type { Session } from "./session.ts";

/** The parts of a session that an operation may ask to see. */
export const SLICES = [
  "session",
  "turn",
  "messages",
  "calls",
  "inputs",
  "questions",
  "timers",
  "notes",
  "usage",
] as const;
export type SliceName = (typeof SLICES)[number];

/** Exactly the declared slices, by type and at run time: reading another one throws. */
export type View<R extends SliceName> = Pick<Session, R>;

/**
 * What a claim says: whether the operation acts now, and in one line for people why, which `explain` shows and the journal keeps.
 * `data` is what the claim found out, handed to `run` as it is and never stored.
 */
export type Answer<C> =
  | { readonly claims: true; readonly data: C; readonly why: string }
  | { readonly claims: false; readonly why: string };

/** Yes, with what `run` needs to know and one line for people. */
export function claim<C>(data: C, why: string): Answer<C> {
  return { claims: true, data, why };
}

/** No, with one line for people. */
export function pass(why: string): Answer<never> {
  return { claims: false, why };
}

/** A slash command that an operation owns. `run` must not change anything. */
export interface Command {
  readonly name: string;
  readonly description: string;
  /** Ends the turn with a notice, or puts more before the model than the person typed. */
  run(
    args: string,
    ctx: CommandContext,
  ): Promise<{ readonly notice: string } | { readonly expand: readonly PromptPart[] }>;
}

/** What a running command may know: the session's folder, and the commands of all operations of the pipeline. */
export interface CommandContext {
  readonly workspace: string;
  readonly commands: readonly Command[];
}

/** What a running operation is given. */
export interface StepContext {
  /** Aborted on cancel: yield what is worth keeping within a second and return. */
  readonly signal: AbortSignal;
  /** The fencing token of the lease under which this step runs. */
  readonly epoch: number;
  /** Milliseconds since 1970. */
  now(): number;
  readonly newId: NewId;
  /** sha256 of the canonical JSON of a value, as base64url. */
  hash(value: unknown): string;
  /** The door for text from outside: well-formed, and with secret values replaced by `[redacted:NAME]`. */
  readonly clean: (text: string) => string;
  /** Live, for eyes only. */
  emit(event: LiveEvent): void;
  /**
   * Makes durable what was yielded so far, checks that the lease still holds, and only then resolves: call it before anything
   * outside the session is touched. Needed only where `durability` is `on-barrier`; otherwise every yield is one.
   */
  barrier(): Promise<void>;
  /** What all operations contribute now, in the order of the pipeline. */
  contributions(): Promise<Contributions>;
  /** The inputs that this operation declared to hear, as they arrive while it runs. Ends when the step does. */
  readonly heard: AsyncIterable<PendingInput>;
}

/** What whoever adds an operation writes; `defineOperation` makes of it what a pipeline holds. */
export interface OperationDefinition<R extends SliceName, W extends EffectType, C> {
  readonly name: string;
  /** The slices that `claim`, `run` and `contribute` see. */
  readonly reads: readonly R[];
  /** The effects that `run` may yield; anything else commits nothing. */
  readonly writes: readonly W[];
  /** Inputs that it may consume while it runs. */
  readonly hears?: readonly InputKind[];
  /** Slash commands that it owns. They run, and `/help` lists them, wherever the operation `command` is in the pipeline. */
  readonly commands?: readonly Command[];
  /** Names of operations that must stand somewhere before, or after, this one, if they are in the pipeline at all. */
  readonly after?: readonly string[];
  readonly before?: readonly string[];
  /**
   * `each-commit` (the default): what is yielded is durable before `run` goes on. `on-barrier`: it becomes durable at
   * `ctx.barrier()`, with the commits of the next step, or at rest; only for a `run` that touches nothing outside between a
   * yield and the next barrier.
   */
  readonly durability?: "each-commit" | "on-barrier";
  /**
   * Pure and synchronous: no I/O, no clock, no randomness. `now` is in milliseconds since 1970; `commands` are those of all
   * operations of the pipeline.
   */
  claim(view: View<R>, now: number, commands: readonly Command[]): Answer<C>;
  /** Each yield is one atomic commit. It may be dropped after any of them, and the session must make sense there. */
  run(
    data: NoInfer<C>,
    ctx: StepContext,
    view: View<NoInfer<R>>,
  ): AsyncGenerator<readonly EffectOf<NoInfer<W>>[], void, void>;
  /** What it adds to a model request; asked when one is made, and whenever tools are looked up. */
  contribute?(view: View<NoInfer<R>>): Contribution | Promise<Contribution>;
}

/** An operation whose own types are forgotten, as a pipeline holds it. */
export interface Operation {
  readonly name: string;
  readonly reads: readonly SliceName[];
  readonly writes: readonly EffectType[];
  readonly hears: readonly InputKind[];
  readonly commands: readonly Command[];
  readonly after: readonly string[];
  readonly before: readonly string[];
  readonly durability: "each-commit" | "on-barrier";
  claim(session: Session, now: number, commands: readonly Command[]): Answer<unknown>;
  run(data: unknown, ctx: StepContext, session: Session): AsyncGenerator<readonly Effect[], void, void>;
  contribute(session: Session): Contribution | Promise<Contribution> | undefined;
}

/** Makes an operation of its definition; the type checker holds it to the slices and effects it declares. */
export function defineOperation<const R extends SliceName, const W extends EffectType, C>(
  definition: OperationDefinition<R, W, C>,
): Operation {
  const viewOf = viewer(definition.name, definition.reads);
  return {
    name: definition.name,
    reads: definition.reads,
    writes: definition.writes,
    hears: definition.hears ?? [],
    commands: definition.commands ?? [],
    after: definition.after ?? [],
    before: definition.before ?? [],
    durability: definition.durability ?? "each-commit",
    claim: (session, now, commands) => definition.claim(viewOf(session), now, commands),
    run: (data, ctx, session) => definition.run(data as C, ctx, viewOf(session)),
    contribute: (session) => definition.contribute?.(viewOf(session)),
  };
}

/** Makes views that have the declared slices and refuse the others. Every claim of every step makes one: assignment is cheap. */
function viewer<R extends SliceName>(operation: string, reads: readonly R[]): (session: Session) => View<R> {
  const prototype = {};
  for (const slice of SLICES) {
    if ((reads as readonly SliceName[]).includes(slice)) continue;
    Object.defineProperty(prototype, slice, {
      get(): never {
        throw new Error(`operation "${operation}" reads the slice "${slice}" without declaring it in reads`);
      },
    });
  }
  return (session) => {
    const view = Object.create(prototype) as { -readonly [S in R]: Session[S] };
    for (const slice of reads) view[slice] = session[slice];
    return view;
  };
}
