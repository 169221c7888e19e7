/** The journal is the truth: no gap, its fold is the projection, and a process that has seen it all knows what a new one reads. */
import { emptySession, fold } from "../../../core/fold.ts";
import type { Session } from "../../../core/session.ts";
import type { Check } from "./check.ts";

export const journalIsTheTruth: Check = ({ session, warm, entries, damages }) => {
  const gap = entries.find((entry, at) => entry.seq !== at + 1);
  if (gap) return [`entry ${gap.seq} does not follow the one before it`];
  const folded = entries.reduce(fold, emptySession(session.session.id));
  return [
    ...difference("the fold of the journal and a cold load", [plain(folded), plain(session)]),
    ...difference("a warm load and a cold load", [plain(warm), plain(session)]),
    ...damages.map(({ seq, problem }) => `verify found at ${seq ?? "no seq"}: ${problem}`),
  ];
};

/** Every slice as JSON, in its own order. */
function plain({ messages, calls, artifacts, ...slices }: Session): unknown {
  return JSON.parse(
    JSON.stringify({
      ...slices,
      messages: [...messages],
      open: [...calls.open.values()],
      settled: [...calls.settled],
      artifacts: [...artifacts],
    }),
  );
}

/** The first place at which two values differ. */
function difference(what: string, [left, right]: readonly [unknown, unknown], path = ""): readonly string[] {
  if (Object.is(left, right)) return [];
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return [`${what} differ at ${path || "the top"}: ${JSON.stringify(left)} and ${JSON.stringify(right)}`];
  }
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const key of keys) {
    const found = difference(what, [Reflect.get(left, key), Reflect.get(right, key)], `${path}.${key}`);
    if (found.length > 0) return found;
  }
  return [];
}
