/** Takes a session over an entry that comes from outside, believing nothing of what it says about itself. */
import { advance } from "../core/advance.ts";
import type { Entry } from "../core/entry.ts";
import { fold } from "../core/fold.ts";
import { violated } from "../core/invariant.ts";
import type { Session } from "../core/session.ts";

/** Throws InvariantError or BatchError if the entry could not have been committed here, or says so wrongly. */
export function replayed(session: Session, entry: Entry): Session {
  if (entry.type === "input" || entry.seq !== session.seq + 1) return fold(session, entry);
  const next = advance(session, entry, entry.epoch);
  for (const member of ["turn", "from", "to"] as const) {
    const [said, is] = [entry[member], next.entry[member]];
    if (said !== is) violated("entry-says-what-it-did", `entry ${entry.seq} says ${member}: ${said}, and it is ${is}`);
  }
  return next.session;
}
