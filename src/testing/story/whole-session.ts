/** A session whose content has been read, so that it outlives the store that reads content on first use. */
import type { Session } from "../../core/session.ts";

export function wholeSession(session: Session): Session {
  for (const { parts } of session.messages) void parts;
  for (const call of session.calls.settled) void [call.requested, call.args];
  return session;
}
