/** Calls and results are a bijection, and no result precedes its call. */
import { isFinal } from "../../../core/call.ts";
import type { Entry } from "../../../core/entry.ts";
import type { Check, Evidence } from "./check.ts";

interface Seen {
  readonly calls: Map<string, number>;
  readonly results: Map<string, number>;
  readonly problems: string[];
}

export const callsHaveResults: Check = ({ entries, session }: Evidence) => {
  const seen: Seen = { calls: new Map(), results: new Map(), problems: [] };
  for (const entry of entries) addEntry(entry, seen);
  const { calls, results, problems } = seen;
  const open = new Set([...session.calls.open.keys()] as string[]);
  const unanswered = [...calls.keys()].filter((id) => !results.has(id) && !open.has(id));
  const answeredWhileOpen = [...open].filter((id) => results.has(id));
  const unsettled = [...session.calls.settled].filter(({ status }) => !isFinal(status));
  return [
    ...problems,
    ...unanswered.map((id) => `call ${id} is closed and has no result`),
    ...answeredWhileOpen.map((id) => `call ${id} is open and has a result`),
    ...unsettled.map(({ id, status }) => `call ${id} counts as settled and is ${status}`),
    ...(session.turn?.outcome && open.size > 0 ? [`the turn has ended and ${[...open].join(", ")} is open`] : []),
  ];
};

function addEntry(entry: Entry, { calls, results, problems }: Seen): void {
  if (entry.type === "input") return;
  for (const effect of entry.effects) {
    if (effect.type === "call.request") {
      if (calls.has(effect.id)) problems.push(`call ${effect.id} was requested twice`);
      calls.set(effect.id, entry.seq);
    }
    if (effect.type !== "message.append") continue;
    for (const part of effect.message.parts) {
      if (part.type !== "result") continue;
      if (!calls.has(part.callId)) problems.push(`at ${entry.seq} there is a result of ${part.callId} before its call`);
      if (results.has(part.callId)) problems.push(`call ${part.callId} has a second result at ${entry.seq}`);
      results.set(part.callId, entry.seq);
    }
  }
}
