/** What the processes of a story tell live, for a body that waits to see something. */
import type { LiveEvent } from "../../core/event.ts";

export interface Told {
  tell(event: LiveEvent): void;
  /** Resolves when a text that contains this one has been told, by the model or by a tool, its progress included. */
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
      all += textIn(event);
      look();
    },
    shown: (text) =>
      new Promise((resolve) => {
        waiting.set(resolve, text);
        look();
      }),
  };
}

function textIn(event: LiveEvent): string {
  if (event.type === "tool-progress") return `${event.message ?? ""}\n`;
  return event.type === "text-delta" || event.type === "tool-output" ? event.text : "";
}
