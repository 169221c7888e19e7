/** What a protocol must be able to do for the server: read requests, refuse them, and write replies as bytes on the wire. */
import type { Fault, MessageReply, Reply, Usage } from "./reply.ts";
import type { Protocol, SeenRequest } from "./seen.ts";

/** One event of a streamed reply; `delta` marks those that carry content, which holds and faults count. */
export interface WireEvent {
  readonly text: string;
  readonly delta: boolean;
}

/** A failed request on the wire. */
export interface WireError {
  readonly status: number;
  readonly body: unknown;
}

/** The normalised request without what the server knows about its transport. */
export type ReadRequest = Omit<SeenRequest, "protocol" | "rawBody" | "headers">;

/** The replies that a protocol writes as a model's message. */
export type ModelReply = MessageReply | Extract<Reply, { type: "no-choices" }>;

/** One of the two protocols, bound to one server's ids and signatures. */
export interface Wire {
  readonly protocol: Protocol;
  /** The request and why the provider would refuse it; only the reason if the shape cannot be read. */
  read(body: unknown): { request?: ReadRequest; refusal?: string };
  stream(reply: ModelReply, request: ReadRequest): WireEvent[];
  whole(reply: ModelReply, request: ReadRequest): unknown;
  /** An event whose data is not JSON. */
  brokenEvent(): WireEvent;
  error(status: number, message?: string, code?: string): WireError;
  errorEvent(fault: Extract<Fault, { type: "error-event" }>): WireEvent;
  tooLong(tokens: number, limit: number): WireError;
}

/** Counted ids: the same story gives the same ids in every run. */
export interface Counter {
  next(prefix: string): string;
}

export function createCounter(): Counter {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}${String(count).padStart(4, "0")}`;
    },
  };
}

/** A reply's usage with every number present; null stays "none at all". */
export function fullUsage(usage: Usage | null | undefined): Record<keyof Usage, number> | null {
  if (usage === null) return null;
  return {
    input: usage?.input ?? 10,
    output: usage?.output ?? 5,
    cacheRead: usage?.cacheRead ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    reasoning: usage?.reasoning ?? 0,
  };
}

/** The deltas of a text: an array as it is, a string in up to three pieces cut between code points. */
export function deltasOf(text: string | string[]): string[] {
  if (typeof text !== "string") return text;
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / 3));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, piece) =>
    points.slice(piece * size, (piece + 1) * size).join(""),
  );
}

export function joined(text: string | string[]): string {
  return typeof text === "string" ? text : text.join("");
}

/** The argument text of a call, in deltas. */
export function argumentDeltas(content: { input?: unknown; rawInput?: string | string[] | undefined }): string[] {
  return deltasOf(content.rawInput ?? JSON.stringify(content.input === undefined ? {} : content.input));
}

/** A body's arguments parsed if they are JSON, as they are if not. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A complaint about the shape of a request, with its path. */
export function shapeComplaint(error: {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}): string {
  return error.issues.map((issue) => `${issue.path.map(String).join(".") || "body"}: ${issue.message}`).join("; ");
}
