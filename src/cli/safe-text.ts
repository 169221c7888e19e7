/** What keeps text from steering the terminal; a file of its own because everything that prints needs it, and little else. */
import { stripVTControlCharacters } from "node:util";

/** What a model or a tool wrote must not move the cursor or recolour the screen. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, "");
}
