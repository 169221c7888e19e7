/** Closes whatever is open when a turn has to end: the same words and statuses after a cancel, a crash or a broken rule. */
import type { Call, FinalCallStatus } from "./call.ts";
import type { EffectOf } from "./effect.ts";
import type { ErrorKind } from "./error.ts";
import type { MessageId, NewId } from "./ids.ts";
import type { ResultContent } from "./part.ts";
import type { Session } from "./session.ts";

export type SettlingEffect = EffectOf<"message.append" | "call.settle" | "question.close" | "timer.clear">;

/** What came of a call without its tool having answered. */
export interface Settlement {
  readonly status: FinalCallStatus;
  readonly errorKind?: ErrorKind;
  readonly text: string;
}

/** Settles one call with a result message of plain words. */
export function settleCall(
  call: Call,
  settlement: Settlement,
  newId: NewId,
): readonly EffectOf<"message.append" | "call.settle">[] {
  const content: readonly ResultContent[] = [{ type: "text", text: settlement.text }];
  const { status, errorKind } = settlement;
  const id: MessageId = newId();
  return [
    {
      type: "message.append",
      message: {
        id,
        kind: status === "denied" ? "denial" : "result",
        parts: [
          {
            type: "result",
            callId: call.id,
            isError: status !== "succeeded",
            ...(errorKind && { errorKind }),
            content,
          },
        ],
      },
    },
    { type: "call.settle", id: call.id, status, messageId: id },
  ];
}

/** Settles every open call and closes every question and timer; `why` says what happened to a call, for model and person. */
export function settleOpen(
  session: Pick<Session, "calls" | "questions" | "timers">,
  ctx: { readonly newId: NewId; readonly epoch: number },
  why: (call: Call) => string,
): readonly SettlingEffect[] {
  return [
    ...[...session.calls.open.values()].flatMap((call) =>
      settleCall(call, lost(call, ctx.epoch, why(call)), ctx.newId),
    ),
    ...session.questions.map(({ id }) => ({ type: "question.close" as const, id })),
    ...session.timers.map(({ id }) => ({ type: "timer.clear" as const, id })),
  ];
}

/** A call that this very owner dispatched was stopped by it; one of an earlier owner may have gone on without anyone to see. */
function lost(call: Call, epoch: number, why: string): Settlement {
  if (call.status === "dispatched") {
    return call.epoch === epoch
      ? {
          status: "interrupted",
          errorKind: "interrupted",
          text: `${why} It was stopped while it ran; part of its effect may have happened.`,
        }
      : unknownEffect(call, why);
  }
  const text = call.status === "waiting" ? `${why} It was waiting and got no answer.` : `${why} It was not started.`;
  return { status: "interrupted", errorKind: "interrupted", text };
}

/** The settlement of a call whose process vanished: nobody knows whether it took effect, so it is never run again by itself. */
export function unknownEffect(call: Call, why: string): Settlement {
  return {
    status: "unknown",
    errorKind: "unknown_effect",
    text: `${why} The call ${call.tool} may or may not have taken effect. It was not run again. Check before you repeat it.`,
  };
}
