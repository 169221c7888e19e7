/** Asks hooks before a turn completes: one that denies sends the model back to work, a bounded number of times. */
import type { EffectOf } from "../core/effect.ts";
import { wordsOf } from "../core/error.ts";
import type { TurnId } from "../core/ids.ts";
import { textOf } from "../core/message.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { StepContext } from "../core/operation.ts";
import type { Finish, Turn } from "../core/session.ts";
import { notice, nudge } from "./notice.ts";
import { HookAnswer, hookJournal, noteOf, withRun } from "./stop-hook-journal.ts";
import type { HookJournal, HookRun } from "./stop-hook-journal.ts";

/** What a hook is told of the end it judges. `key` names this run of this hook, whatever the attempt. */
export interface StopHookInfo {
  readonly key: string;
  /** 1, or more if earlier attempts under this key were cut off before their answer was stored. */
  readonly attempt: number;
  readonly turnId: TurnId;
  /** Counts the hook runs of the turn, from 1. */
  readonly ordinal: number;
  /** The turn was sent back as often as is allowed: whatever the hook says, it completes. */
  readonly overruled: boolean;
  /** The reply that would be the last. */
  readonly text: string;
  readonly workspace: string;
}

/** A hook may run more than once for one end, after a crash, and has to bound its own time. */
export interface StopHook {
  readonly name: string;
  run(info: StopHookInfo, signal: AbortSignal): Promise<HookAnswer>;
}

/** How often hooks may send one turn back. */
const MAX_DENIALS = 8;
/** Ends that are an answer; refusals, cut and cancelled replies are not the hooks' to judge. */
const ANSWERS: ReadonlySet<Finish> = new Set(["stop", "other", "calls"]);

/** The run that is to be made, and the journal that it goes on from. */
interface Due {
  readonly journal: HookJournal;
  readonly run: HookRun;
  readonly text: string;
}

type Write = EffectOf<"note.set" | "message.append">;

/**
 * Journaled like calls: the start is committed before the hook runs, and one hook runs a step, so that a crash between two
 * of them repeats neither. The first denial counts. A hook that throws or gives no answer is told to the person and counts
 * as allowing: a broken hook must not make a session unusable.
 * Throws if two hooks have one name.
 */
export function stopHook(hooks: readonly StopHook[]) {
  const twice = hooks.find(({ name }, at) => hooks.findIndex((other) => other.name === name) !== at);
  if (twice) throw new Error(`there are two stop hooks named "${twice.name}"; rename or remove one`);
  return defineOperation({
    name: "stop-hook",
    reads: ["session", "turn", "messages", "notes"],
    writes: ["note.set", "message.append"],
    after: ["empty-reply"],
    before: ["settle"],
    claim({ turn, messages, notes }) {
      if (hooks.length === 0) return pass("there are no stop hooks");
      if (turn?.phase !== "end" || !turn.lastReply) return pass("the turn is not at its end");
      const { finish, messageId, text } = turn.lastReply;
      if (!text || !ANSWERS.has(finish)) return pass(`a reply that ended with "${finish}" is no finished answer`);
      const journal = hookJournal(notes, turn.id, messageId);
      const run = nextRun(hooks, journal);
      if (!run) return pass("every stop hook has answered about this end");
      const due: Due = { journal, run, text: textOf(messages.get(messageId)?.parts ?? []) };
      return claim(due, `stop hook "${run.hook}" is asked, ordinal ${run.ordinal}, attempt ${run.attempt}`);
    },
    async *run({ journal, run, text }, ctx, { session, turn }) {
      const hook = hooks.find(({ name }) => name === run.hook);
      if (!hook || !turn) return;
      yield [noteOf(withRun(journal, run))];
      const answer = await askHook(hook, infoFor({ journal, run, text }, turn, session.workspace), ctx.signal);
      // Cut off: the start stays unfinished, and the hook is asked again under the same key.
      if (ctx.signal.aborted) return;
      const last = hooks.at(-1)?.name === run.hook;
      yield journal.denials >= MAX_DENIALS
        ? overruledBy(answer, { journal, run, last }, ctx)
        : answeredBy(answer, { journal, run }, ctx);
    },
  });
}

/** The first hook that has not answered about this end, under the key of its unfinished start if there is one. */
function nextRun(hooks: readonly StopHook[], journal: HookJournal): HookRun | undefined {
  const hook = hooks.find(({ name }) => !journal.runs.some((run) => run.hook === name && run.state !== "started"));
  if (!hook) return undefined;
  const started = journal.runs.find((run) => run.hook === hook.name);
  if (started) return { ...started, attempt: started.attempt + 1 };
  return { hook: hook.name, ordinal: journal.ordinal + 1, attempt: 1, state: "started" };
}

function infoFor({ journal, run, text }: Due, turn: Turn, workspace: string): StopHookInfo {
  return {
    key: `${turn.id}/stop-hook/${run.ordinal}`,
    attempt: run.attempt,
    turnId: turn.id,
    ordinal: run.ordinal,
    overruled: journal.denials >= MAX_DENIALS,
    text,
    workspace,
  };
}

type Heard = HookAnswer | { readonly verdict: "broken"; readonly problem: string };

async function askHook(hook: StopHook, info: StopHookInfo, signal: AbortSignal): Promise<Heard> {
  try {
    const answer = HookAnswer.safeParse(await hook.run(info, signal));
    return answer.success ? answer.data : { verdict: "broken", problem: "what it returned is no answer" };
  } catch (error) {
    return { verdict: "broken", problem: wordsOf(error) };
  }
}

interface Asked {
  readonly journal: HookJournal;
  readonly run: HookRun;
}

function answeredBy(answer: Heard, { journal, run }: Asked, ctx: StepContext): readonly Write[] {
  const finished = withRun(journal, { ...run, state: answer.verdict });
  switch (answer.verdict) {
    case "allow":
      return [noteOf(finished)];
    case "deny": {
      const denied = { ...finished, denials: finished.denials + 1 };
      return [noteOf(denied), nudge(ctx, `Not done yet. The stop hook "${run.hook}" says: ${answer.reason}`)];
    }
    case "broken":
      return [noteOf(finished), notice(ctx, brokenWords(run, answer.problem))];
    default:
      return answer satisfies never;
  }
}

/** At the cap nothing that a hook says holds the turn; the person is told once, after the last hook. */
function overruledBy(
  answer: Heard,
  { journal, run, last }: Asked & { readonly last: boolean },
  ctx: StepContext,
): readonly Write[] {
  const effects: Write[] = [noteOf(withRun(journal, { ...run, state: answer.verdict }))];
  if (answer.verdict === "broken") effects.push(notice(ctx, brokenWords(run, answer.problem)));
  if (answer.verdict === "deny") effects.push(notice(ctx, `The stop hook "${run.hook}" still says: ${answer.reason}`));
  if (last) {
    effects.push(notice(ctx, `Stop hooks sent this turn back ${MAX_DENIALS} times, the most allowed: it ends anyway.`));
  }
  return effects;
}

function brokenWords(run: HookRun, problem: string): string {
  return `The stop hook "${run.hook}" failed and was passed over: ${problem}`;
}
