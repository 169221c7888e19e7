/** What the processes of a story tell live, for a body that waits to see something. */
import type { LiveEvent } from "../../core/event.ts";

export interface Told {
  tell(event: LiveEvent): void;
  /** Resolves when a text that contains this one has been told, of the model or of a tool. */
  shown(text: string): Promise<void>;
}

export function createTold(): Told {
  let all = "";
  const waiting = new Map<() => void, string>();
  const look = (): void => {
    for (const [wake, text] of waiting) {
      if (!all.includes(text)) continue;
      waiting.delete(wake);
      wake();
    }
  };
  return {
    tell(event) {
      if (event.type !== "text-delta" && event.type !== "tool-output") return;
      all += event.text;
      look();
    },
    shown: (text) =>
      new Promise((resolve) => {
        waiting.set(resolve, text);
        look();
      }),
  };
}
