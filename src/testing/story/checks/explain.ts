/** Whoever acted is whom the session named: asked again at the base of each step, the same operation claims it. */
import type { CommitEntry, Entry } from "../../../core/entry.ts";
import { emptySession, fold } from "../../../core/fold.ts";
import { firstClaim } from "../../../core/step.ts";
import type { Session } from "../../../core/session.ts";
import type { Check, Evidence } from "./check.ts";

/** What no operation writes: the first entry, and what the machine settles when an operation broke a rule. */
const NOT_CLAIMED: ReadonlySet<string> = new Set(["sessions", "machine"]);

export const claimsAreReproducible: Check = (evidence) => {
  const { entries, session } = evidence;
  const versions: Session[] = [emptySession(session.session.id)];
  for (const entry of entries) versions.push(fold(versions.at(-1) as Session, entry));
  return entries.filter(isStepStart).flatMap((entry) => misclaimed(entry, versions[entry.base], evidence));
};

function isStepStart(entry: Entry): entry is CommitEntry {
  return entry.type === "commit" && entry.index === 0 && !NOT_CLAIMED.has(entry.operation);
}

function misclaimed(entry: CommitEntry, base: Session | undefined, { pipeline }: Evidence): readonly string[] {
  if (!base) return [`entry ${entry.seq} has the base ${entry.base}, which is not in the journal`];
  const claimed = firstClaim(base, pipeline, entry.at);
  if (claimed?.operation.name === entry.operation) return [];
  return [
    `entry ${entry.seq} is by ${entry.operation}, but at its base ${entry.base} ${claimed?.operation.name ?? "nobody"} claims the session`,
  ];
}
