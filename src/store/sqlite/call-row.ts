/** Settled calls as rows, and back: a call read from a row is like any other, but parses its arguments on first use. */
import type { Call } from "../../core/call.ts";
import { lazyMember } from "./lazy.ts";
import type { ContentRef } from "./contents.ts";

/** In the order of CALL_COLUMNS. */
export type CallRow = [
  id: string,
  status: string,
  tool: string,
  providerId: string,
  turnId: string,
  messageId: string,
  resultMessageId: string | null,
  owner: string | null,
  declaration: string | null,
  requested: number,
  args: number | null,
  hash: string | null,
  decision: string | null,
  attempts: number,
  epoch: number | null,
  requestedAt: number,
  dispatchedAt: number | null,
  settledAt: number | null,
  others: string | null,
];

export const CALL_COLUMNS = `id, status, tool, provider_id, turn_id, message_id, result_message_id, owner, declaration,
  requested, args, hash, decision, attempts, epoch, requested_at, dispatched_at, settled_at, others`;

/** The row of a call whose content is in the rows `contents`. */
export function callRow(
  call: Call,
  contents: { readonly requested: number; readonly args: number | null },
): Readonly<CallRow> {
  const { declaration, decision, times } = call;
  const { server, subject, edited, process, askReason, questionId } = call;
  const others = JSON.stringify({ server, subject, edited, process, askReason, questionId });
  return [
    call.id,
    call.status,
    call.tool,
    call.providerId,
    call.turnId,
    call.messageId,
    call.resultMessageId ?? null,
    call.owner,
    declaration && JSON.stringify(declaration),
    contents.requested,
    contents.args,
    call.hash ?? null,
    decision ? JSON.stringify(decision) : null,
    call.attempts,
    call.epoch ?? null,
    times.requested,
    times.dispatched ?? null,
    times.settled ?? null,
    others === "{}" ? null : others,
  ];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Branded<K extends keyof Call> = NonNullable<Call[K]>;

/** Makes calls of rows, sharing declarations, of which there are as many as tools. */
export function createCallReader(body: (ref: ContentRef) => string): (row: CallRow) => Call {
  const declarations = new Map<string, Call["declaration"]>();
  const declarationOf = (text: string): Call["declaration"] => {
    let declaration = declarations.get(text);
    if (!declaration) declarations.set(text, (declaration = JSON.parse(text) as Call["declaration"]));
    return declaration ?? null;
  };
  return (row) => callOf(row, body, declarationOf);
}

const defineRequested = lazyMember("requested");
const defineArgs = lazyMember("args");

function callOf(
  row: CallRow,
  body: (ref: ContentRef) => string,
  declarationOf: (text: string) => Call["declaration"],
): Call {
  const [id, status, tool, providerId, turnId, messageId, resultMessageId, owner, declaration, requested] = row;
  const [, , , , , , , , , , args, hash, decision, attempts, epoch, requestedAt, dispatchedAt, settledAt, others] = row;
  const times: Mutable<Call["times"]> = { requested: requestedAt };
  if (dispatchedAt !== null) times.dispatched = dispatchedAt;
  if (settledAt !== null) times.settled = settledAt;
  const call: Partial<Mutable<Call>> = {
    id: id as Call["id"],
    providerId,
    turnId: turnId as Call["turnId"],
    messageId: messageId as Call["messageId"],
    tool,
    status: status as Call["status"],
    owner,
    declaration: declaration === null ? null : declarationOf(declaration),
  };
  defineRequested(call, requested, body);
  call.attempts = attempts;
  call.times = times;
  if (resultMessageId !== null) call.resultMessageId = resultMessageId as Branded<"resultMessageId">;
  if (hash !== null) call.hash = hash;
  if (epoch !== null) call.epoch = epoch;
  if (decision !== null) call.decision = JSON.parse(decision) as Branded<"decision">;
  if (others !== null) Object.assign(call, JSON.parse(others));
  if (args !== null) defineArgs(call, args, body);
  return call as Call;
}
