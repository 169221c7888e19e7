/** Writes one reply to one client: waits where it is held and breaks where its script says so. */
import type { ServerResponse } from "node:http";
import type { HeldReply } from "./hold.ts";
import type { Fault, HttpErrorReply, MessageReply, Reply, StreamPosition } from "./reply.ts";
import type { ModelReply, ReadRequest, Wire, WireError, WireEvent } from "./wire.ts";

export interface Exchange {
  readonly wire: Wire;
  readonly request: ReadRequest;
  readonly response: ServerResponse;
  /** Aborted when the client goes away. */
  readonly gone: AbortSignal;
  readonly hold: HeldReply | undefined;
}

export async function sendReply(reply: Reply, exchange: Exchange): Promise<void> {
  const { wire, request, response, gone, hold } = exchange;
  const streamed = (reply.type === "message" || reply.type === "no-choices") && request.stream;
  if (hold !== undefined && (hold.point.after === "request" || !streamed)) await hold.wait(gone);
  if (gone.aborted) return;
  switch (reply.type) {
    case "message":
      return request.stream ? sendStream(reply, exchange) : sendWhole(reply, exchange);
    case "no-choices":
      return request.stream
        ? sendStream(reply, exchange)
        : sendJson(response, { status: 200, body: wire.whole(reply, request) });
    case "http-error":
      return sendHttpError(reply, wire, response);
    case "context-too-long":
      return sendJson(response, wire.tooLong(reply.tokens ?? 250_000, reply.limit ?? 200_000));
    case "html":
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(reply.body ?? "<!doctype html><title>Sign in to the network</title>");
      return;
    case "silence":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    default:
      return reply satisfies never;
  }
}

/** A JSON body with its status: how errors go out. */
export function sendJson(response: ServerResponse, { status, body }: WireError): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendHttpError(reply: HttpErrorReply, wire: Wire, response: ServerResponse): void {
  const retryAfter = reply.retryAfterDate ?? reply.retryAfterSeconds?.toString();
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  const error = wire.error(reply.status, reply.message, reply.code);
  if (reply.body === undefined) return sendJson(response, error);
  response.writeHead(reply.status).end(reply.body);
}

/** Without a stream a fault leaves half of the body (or none), and an error event is an error status. */
async function sendWhole(reply: MessageReply, exchange: Exchange): Promise<void> {
  const { wire, request, response } = exchange;
  const body = JSON.stringify(wire.whole(reply, request));
  const fault = reply.fault;
  if (fault?.type === "stall") return;
  if (fault?.type === "error-event") return sendJson(response, wire.error(529, fault.message, fault.errorType));
  response.writeHead(200, { "content-type": "application/json" });
  await write(Buffer.from(fault === undefined ? body : body.slice(0, body.length / 2)), reply.chunkBytes, exchange);
  if (fault?.type === "cut") response.socket?.destroy();
  else response.end();
}

async function sendStream(reply: ModelReply, exchange: Exchange): Promise<void> {
  const { wire, request, response, gone, hold } = exchange;
  const events = wire.stream(reply, request);
  const { fault, chunkBytes } = reply.type === "message" ? reply : {};
  const faultAt = fault === undefined ? -1 : indexOf(fault.after ?? 0, events);
  const holdAt = hold === undefined || hold.point.after === "request" ? -1 : indexOf(hold.point.after, events);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const [at, event] of events.entries()) {
    if (at === holdAt) await hold?.wait(gone);
    if (gone.aborted) return;
    if (fault !== undefined && at === faultAt) {
      await write(faultBytes(fault, wire), chunkBytes, exchange);
      if (fault.type === "stall") return;
      if (fault.type === "cut") return void response.socket?.destroy();
      if (fault.type !== "bad-json") break;
    }
    await write(Buffer.from(event.text), chunkBytes, exchange);
  }
  response.end();
}

function faultBytes(fault: Fault, wire: Wire): Buffer {
  if (fault.type === "error-event") return Buffer.from(wire.errorEvent(fault).text);
  return Buffer.from(fault.type === "bad-json" ? wire.brokenEvent().text : "");
}

/** The index of the event before which something happens; more deltas than there are means after the last one. */
function indexOf(after: StreamPosition, events: readonly WireEvent[]): number {
  if (after === "headers") return 0;
  if (after === 0) return 1;
  const deltas = events.flatMap((event, at) => (event.delta ? [at] : []));
  return (deltas[after - 1] ?? deltas.at(-1) ?? 0) + 1;
}

/** Writes the bytes, in pieces if asked, each of them handed to the system before the next. */
async function write(bytes: Buffer, chunkBytes: number | undefined, { response, gone }: Exchange): Promise<void> {
  const size = chunkBytes ?? Math.max(bytes.length, 1);
  for (let from = 0; from < bytes.length && !gone.aborted; from += size) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(from, from + size), () => resolve());
    });
  }
}
