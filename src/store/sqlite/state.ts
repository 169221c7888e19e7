/** The head's JSON: every slice that is small, with content replaced by hashes as in the journal. */
import { attach, detach } from "../../core/content.ts";
import type { Hasher } from "../../core/content.ts";
import type { Call } from "../../core/call.ts";
import type { InputEntry } from "../../core/entry.ts";
import type { SessionId } from "../../core/ids.ts";
import type { PendingInput } from "../../core/input.ts";
import type { Session, SessionInfo } from "../../core/session.ts";

type StoredCall = Omit<Call, "requested" | "args"> & { readonly requested: string; readonly args?: string };

/** The id is left out: it is the row's own, and an import may change it. */
interface State extends Pick<Session, "questions" | "timers" | "notes" | "usage"> {
  readonly session: Omit<SessionInfo, "id">;
  readonly turn?: Session["turn"];
  readonly open: readonly StoredCall[];
  readonly inputs: readonly object[];
}

export type SmallSlices = Omit<Session, "seq" | "messages" | "calls" | "artifacts"> & {
  readonly open: Session["calls"]["open"];
};

export function stateText(session: Session, hasher: Hasher): string {
  const { id: _id, ...info } = session.session;
  const state: State = {
    session: info,
    ...(session.turn && { turn: session.turn }),
    open: [...session.calls.open.values()].map((call) => storedCall(call, hasher)),
    inputs: session.inputs.map((item) => storedInput(item, hasher)),
    questions: session.questions,
    timers: session.timers,
    notes: session.notes,
    usage: session.usage,
  };
  return JSON.stringify(state);
}

export function parseState(text: string, id: SessionId, bodyOf: (hash: string) => string): SmallSlices {
  const { session, turn, open, inputs, ...slices } = JSON.parse(text) as State;
  return {
    ...slices,
    session: { id, ...session },
    turn,
    open: new Map(open.map((call) => [call.id, wholeCall(call, bodyOf)])),
    inputs: inputs.map((item) => wholeInput(item, bodyOf)),
  };
}

function storedCall({ requested, args, ...others }: Call, hasher: Hasher): StoredCall {
  return {
    ...others,
    requested: hasher.content(requested).hash,
    ...(args !== undefined && { args: hasher.content(args).hash }),
  };
}

function wholeCall({ requested, args, ...others }: StoredCall, bodyOf: (hash: string) => string): Call {
  return {
    ...others,
    requested: JSON.parse(bodyOf(requested)) as Call["requested"],
    ...(args !== undefined && { args: JSON.parse(bodyOf(args)) as NonNullable<Call["args"]> }),
  };
}

/** A pending input is its entry and whether it is held, so the journal's own rule says where its content is. */
function storedInput({ seq, at, held, input }: PendingInput, hasher: Hasher): object {
  return { held, ...detach({ type: "input", seq, at, input }, hasher).stored };
}

function wholeInput(stored: object, bodyOf: (hash: string) => string): PendingInput {
  const { seq, at, held, input } = attach(stored, bodyOf) as InputEntry & { readonly held: boolean };
  return { seq, at, held, input };
}
