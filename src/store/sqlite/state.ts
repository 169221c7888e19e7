/** The head's JSON: every slice that is small, saying where content is in place of the content. */
import type { Call } from "../../core/call.ts";
import type { InputEntry } from "../../core/entry.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Session, SessionInfo } from "../../core/session.ts";
import type { ContentRef } from "./contents.ts";

type StoredCall = Omit<Call, "requested" | "args"> & { readonly requested: ContentRef; readonly args?: ContentRef };

/** The id is left out: it is the row's own, and an import may change it. A pending input is an entry, and whether it is held. */
interface State extends Pick<Session, "questions" | "timers" | "notes" | "usage"> {
  readonly session: Omit<SessionInfo, "id">;
  readonly turn?: Session["turn"];
  readonly open: readonly StoredCall[];
  readonly inputs: readonly { readonly seq: number; readonly held: boolean }[];
}

export type SmallSlices = Omit<Session, "seq" | "messages" | "calls" | "artifacts"> & {
  readonly open: Session["calls"]["open"];
};

export function stateText(session: Session, refOf: (value: unknown) => ContentRef): string {
  const { id: _id, ...info } = session.session;
  const state: State = {
    session: info,
    ...(session.turn && { turn: session.turn }),
    open: [...session.calls.open.values()].map(({ requested, args, ...call }) => ({
      ...call,
      requested: refOf(requested),
      ...(args !== undefined && { args: refOf(args) }),
    })),
    inputs: session.inputs.map(({ seq, held }) => ({ seq, held })),
    questions: session.questions,
    timers: session.timers,
    notes: session.notes,
    usage: session.usage,
  };
  return JSON.stringify(state);
}

/** What a state refers to. */
export interface Referred {
  readonly body: (ref: ContentRef) => string;
  readonly input: (seq: number) => InputEntry;
}

export function parseState(text: string, id: SessionId, referred: Referred): SmallSlices {
  const { session, turn, open, inputs, ...slices } = JSON.parse(text) as State;
  return {
    ...slices,
    session: { id, ...session },
    turn,
    open: new Map(open.map((call) => [call.id, wholeCall(call, referred)])),
    inputs: inputs.map(({ seq, held }) => {
      const { at, input } = referred.input(seq);
      return { seq, at, held, input };
    }),
  };
}

function wholeCall({ requested, args, ...others }: StoredCall, { body }: Referred): Call {
  return {
    ...others,
    requested: JSON.parse(body(requested)) as Call["requested"],
    ...(args !== undefined && { args: JSON.parse(body(args)) as NonNullable<Call["args"]> }),
  };
}
