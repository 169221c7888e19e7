/** What can be seen of a running step: no journal, never folded, never needed to go on. */
import type { CallId, MessageId } from "./ids.ts";
import type { LiveEvent } from "./event.ts";

/** A call that runs: the end of its output so far, and how far it says it is. */
export interface LiveCall {
  readonly callId: CallId;
  readonly tail: string;
  readonly done?: number;
  readonly total?: number;
  readonly message?: string;
}

/** The reply that is being streamed, and the calls that run. */
export interface LiveDraft {
  readonly reply: { readonly messageId: MessageId; readonly text: string; readonly reasoning: string } | null;
  readonly calls: readonly LiveCall[];
}

export const NOTHING_LIVE: LiveDraft = { reply: null, calls: [] };

/** How much of a running call's output is kept, in UTF-16 units. */
const TAIL_UNITS = 2_000;

/** The draft after one more event. */
export function withEvent(draft: LiveDraft, event: LiveEvent): LiveDraft {
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta": {
      const reply = replyOf(draft, event.messageId);
      const member = event.type === "text-delta" ? "text" : "reasoning";
      return { ...draft, reply: { ...reply, [member]: reply[member] + event.text } };
    }
    case "call-delta":
      return { ...draft, reply: replyOf(draft, event.messageId) };
    case "draft-discarded":
      return { ...draft, reply: null };
    case "tool-output":
      return withCall(draft, event.callId, (call) => ({ ...call, tail: (call.tail + event.text).slice(-TAIL_UNITS) }));
    case "tool-progress": {
      const { type: _type, callId, ...progress } = event;
      return withCall(draft, callId, ({ tail }) => ({ callId, tail, ...progress }));
    }
    default:
      return event satisfies never;
  }
}

function replyOf({ reply }: LiveDraft, messageId: MessageId): NonNullable<LiveDraft["reply"]> {
  return reply?.messageId === messageId ? reply : { messageId, text: "", reasoning: "" };
}

function withCall(draft: LiveDraft, callId: CallId, change: (call: LiveCall) => LiveCall): LiveDraft {
  const known = draft.calls.find((call) => call.callId === callId);
  const changed = change(known ?? { callId, tail: "" });
  return { ...draft, calls: [...draft.calls.filter((call) => call !== known), changed] };
}
