/** Live events: for eyes only, never needed to go on, never stored. */
import type { CallId, MessageId } from "./ids.ts";

/** Deltas carry the id of the message they will become; an abandoned attempt says so. */
export type LiveEvent =
  | { readonly type: "text-delta"; readonly messageId: MessageId; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly messageId: MessageId; readonly text: string }
  | { readonly type: "call-delta"; readonly messageId: MessageId; readonly tool: string; readonly text: string }
  | { readonly type: "draft-discarded"; readonly messageId: MessageId }
  | { readonly type: "tool-output"; readonly callId: CallId; readonly text: string }
  | {
      readonly type: "tool-progress";
      readonly callId: CallId;
      readonly done: number;
      readonly total?: number;
      readonly message?: string;
    };
