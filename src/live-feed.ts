/** What is shown of a running step: passes events on, and takes back the draft of a reply that will never be stored. */
import type { Effect } from "./core/effect.ts";
import type { LiveEvent } from "./core/event.ts";
import type { MessageId } from "./core/ids.ts";

export interface LiveFeed {
  emit(event: LiveEvent): void;
  /** A draft that is committed has become its message. */
  committed(effects: readonly Effect[]): void;
  /** A draft that its step did not commit is discarded, whatever ended the step. */
  ended(): void;
}

export function createLiveFeed(tell: (event: LiveEvent) => void): LiveFeed {
  let draft: MessageId | undefined;
  return {
    emit(event) {
      if ("messageId" in event) draft = event.type === "draft-discarded" ? undefined : event.messageId;
      tell(event);
    },
    committed(effects) {
      if (effects.some((effect) => effect.type === "message.append" && effect.message.id === draft)) draft = undefined;
    },
    ended() {
      if (draft !== undefined) tell({ type: "draft-discarded", messageId: draft });
      draft = undefined;
    },
  };
}
