/** What was shown live is what was stored, and every run ends with exactly one report that tells of no bug. */
import type { ErrorKind } from "../../../core/error.ts";
import type { LiveEvent } from "../../../core/event.ts";
import { textOf } from "../../../core/message.ts";
import type { Session } from "../../../core/session.ts";
import type { ProcessRecord } from "../process.ts";
import type { Check } from "./check.ts";

export const shownIsStored: Check = ({ processes, session }) =>
  processes.flatMap((process) => [...drafts(process.events)].flatMap((draft) => misshown(draft, process, session)));

export const oneReportARun: Check = ({ processes }) =>
  processes.flatMap(({ runs, reports }, at) =>
    runs === reports.length ? [] : [`process ${at + 1} ended ${runs} runs and told ${reports.length} reports`],
  );

/** Ends that only a bug of the engine or of an operation can bring about. */
const BUGS: ReadonlySet<ErrorKind> = new Set(["invariant", "no_progress", "stuck", "internal", "store"]);

export const noBugIsReported: Check = ({ processes, isBroken }) =>
  processes.flatMap(({ reports }) =>
    reports.flatMap(({ outcome }) =>
      !isBroken && outcome.status === "failed" && outcome.error.kind !== "usage" && BUGS.has(outcome.error.kind)
        ? [`a run ended with an error of the engine: ${outcome.error.kind}: ${outcome.error.message}`]
        : [],
    ),
  );

/** The text of each message as it was shown; undefined once it was taken back. */
function drafts(events: readonly LiveEvent[]): ReadonlyMap<string, string | undefined> {
  const shown = new Map<string, string | undefined>();
  for (const event of events) {
    if (event.type === "text-delta") shown.set(event.messageId, (shown.get(event.messageId) ?? "") + event.text);
    if (event.type === "draft-discarded") shown.set(event.messageId, undefined);
  }
  return shown;
}

function misshown(
  [id, text]: readonly [string, string | undefined],
  { killed }: ProcessRecord,
  session: Session,
): readonly string[] {
  const message = session.messages.get(id);
  if (text === undefined) return message ? [`message ${id} was taken back and is stored`] : [];
  if (!message)
    return killed ? [] : [`"${text}" was shown as message ${id}, which is not stored and was not taken back`];
  const stored = textOf(message.parts);
  return stored === text ? [] : [`message ${id} was shown as "${text}" and stored as "${stored}"`];
}
