/** An export is the whole session: imported and exported again, it is the same but for its id. */
import type { Check } from "./check.ts";

export const exportIsWhole: Check = ({ exported, again, session }) => {
  if (exported.length === 0) return ["the export is empty"];
  const before = exported.map((line) => withoutId(line, session.session.id));
  const after = again.lines.map((line) => withoutId(line, again.id));
  const at = before.findIndex((line, index) => line !== after[index]);
  if (at !== -1)
    return [`line ${at + 1} of the export is ${before[at]}, and after an import ${after[at] ?? "missing"}`];
  return before.length === after.length
    ? []
    : [`the export has ${before.length} lines, and after an import ${after.length}`];
};

/** The last line has the hash of all before it, the id among them; an import checks it. */
function withoutId(line: string, id: string): string {
  return line.replaceAll(`"${id}"`, '"<session>"').replace(/^(\{"end":true.*"sha256":")[^"]*/, "$1");
}
