/** Makes text of what a program prints: whole characters whatever the chunks, and no colours or cursor movements. */
import { stripVTControlCharacters } from "node:util";

const ESCAPE = "\u001B";
const BELL = "\u0007";
/** An escape sequence that is still not complete after so many characters is none. */
const LONGEST_ESCAPE = 256;

export interface TerminalText {
  /** The text that is complete with these bytes; bytes that are not UTF-8 become U+FFFD. */
  push(bytes: Uint8Array): string;
  /** What was still waited for. */
  end(): string;
}

export function createTerminalText(): TerminalText {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let held = "";
  return {
    push(bytes) {
      const text = held + decoder.decode(bytes, { stream: true });
      held = unfinished(text);
      return stripVTControlCharacters(held === "" ? text : text.slice(0, -held.length));
    },
    end: () => stripVTControlCharacters(held + decoder.decode()),
  };
}

/** The beginning of an escape sequence at the end of the text, or nothing. */
function unfinished(text: string): string {
  const command = fromLast(text, `${ESCAPE}]`);
  if (command !== "" && !command.includes(BELL) && !command.includes(`${ESCAPE}\\`)) return command;
  const tail = fromLast(text, ESCAPE);
  if (tail.length <= 1) return tail;
  return tail[1] === "[" && !/[@-~]/.test(tail.slice(2)) ? tail : "";
}

/** The text from the last start of a sequence, or nothing if that is too long ago to be one. */
function fromLast(text: string, start: string): string {
  const at = text.lastIndexOf(start);
  return at === -1 || text.length - at > LONGEST_ESCAPE ? "" : text.slice(at);
}
