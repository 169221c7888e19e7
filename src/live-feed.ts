/** What is shown of a running step: passes events on, keeps the live row, takes back a draft that will never be stored. */
import type { Effect } from "./core/effect.ts";
import type { LiveEvent } from "./core/event.ts";
import { NOTHING_LIVE, withEvent } from "./core/live-draft.ts";
import type { LiveDraft } from "./core/live-draft.ts";

/** The live row is rewritten at most this often, and a step that is over sooner writes none. */
const REWRITE_MS = 100;

export interface LiveFeed {
  emit(event: LiveEvent): void;
  /** A draft that is committed has become its message; the row that goes with the commit is written again for what still runs. */
  committed(effects: readonly Effect[]): void;
  /** A draft that its step did not commit is discarded, whatever ended the step. */
  ended(): void;
}

export interface LiveFeedPorts {
  readonly tell: (event: LiveEvent) => void;
  readonly save: (draft: LiveDraft) => void;
}

export function createLiveFeed({ tell, save }: LiveFeedPorts): LiveFeed {
  let draft = NOTHING_LIVE;
  let timer: NodeJS.Timeout | undefined;
  const rewrite = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      save(draft);
    }, REWRITE_MS);
  };
  const emit = (event: LiveEvent): void => {
    draft = withEvent(draft, event);
    rewrite();
    tell(event);
  };
  return {
    emit,
    committed(effects) {
      const { reply, calls } = draft;
      const stored = effects.some(
        (effect) => effect.type === "message.append" && effect.message.id === reply?.messageId,
      );
      const settled = new Set(effects.flatMap((effect) => (effect.type === "call.settle" ? [effect.id] : [])));
      draft = { reply: stored ? null : reply, calls: calls.filter(({ callId }) => !settled.has(callId)) };
      // The commit takes the whole row away, also what it has not ended.
      if (draft.reply || draft.calls.length > 0) rewrite();
    },
    ended() {
      const { reply } = draft;
      if (reply) tell({ type: "draft-discarded", messageId: reply.messageId });
      draft = NOTHING_LIVE;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
