/** The port of stores: where sessions are kept, who may step them, and how a commit becomes durable. */
import type { Advanced } from "./advance.ts";
import type { Draft, Entry } from "./entry.ts";
import type { ArtifactId, CallId, InputId, SessionId } from "./ids.ts";
import type { Input } from "./input.ts";
import type { LiveDraft } from "./live-draft.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

/** The process that holds, or wants, a lease. `processStart` and `pidNamespace` are as the operating system tells them. */
export interface LeaseOwner {
  /** Unique to one run of one process. */
  readonly id: string;
  readonly host: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly processStart: string;
}

/** The right to step a session. Acquiring raises the epoch; a commit under an older epoch is refused. */
export interface Lease {
  readonly sessionId: SessionId;
  readonly owner: LeaseOwner;
  readonly epoch: number;
}

/** Who may step a session now, and until when without a heartbeat. Told by the store; shown to whoever must wait, or may end it. */
export interface Holder {
  readonly owner: LeaseOwner;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The answer to `acquire`, for the runner: the lease, or who has it instead, which is no error. */
export type Acquired =
  | { readonly status: "acquired"; readonly lease: Lease }
  | { readonly status: "held"; readonly holder: Holder };

/** `same`: this very input, or the same decision about the same arguments, is there already; nothing was written. */
export interface Appended {
  readonly status: "appended" | "same";
  readonly seq: number;
  /** Of the input that counts: the first one, if this one said the same. */
  readonly inputId: InputId;
}

/** What became durable. `entries` are all after the base, inputs of others among them, in order. */
export interface Committed {
  readonly session: Session;
  readonly entries: readonly Entry[];
  /** How many of the handed-over drafts were left out because of inputs that had arrived: look at the session again. */
  readonly dropped: number;
}

export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string | undefined;
  readonly workspace: string;
  readonly model: string;
  readonly seq: number;
  readonly lifecycle: Lifecycle;
  readonly outcome: Outcome | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** USD, null where a price is unknown. */
  readonly cost: number | null;
  readonly holder: Holder | undefined;
}

/** A problem that `verify` found: where, and what is wrong. */
export interface Damage {
  readonly seq: number | undefined;
  readonly problem: string;
}

/** Text written while a tool runs; kept once a commit links it, swept if none ever does. */
export interface Artifacts {
  /**
   * Adds a piece of text; durable with the next commit of the session at the latest, which is what fails if it cannot be
   * written. Must not throw, not even when the store is closed: a process that prints is in no position to handle it.
   */
  write(sessionId: SessionId, id: ArtifactId, callId: CallId, text: string): void;
  /** A piece of it and its whole size, in UTF-16 units; undefined if there is none in this session. */
  read(
    sessionId: SessionId,
    id: string,
    offset: number,
    limit: number,
  ): { readonly text: string; readonly size: number } | undefined;
}

/** What can be seen of a running step, one row a session: gone with the commit that replaces it, or with the next owner. */
export interface LiveRow {
  /** Best effort: must not throw, and writes nothing once the lease was taken over. At most ten times a second. */
  write(lease: Lease, draft: LiveDraft): void;
  /** Undefined where nobody who is alive holds the session, whatever was left behind. */
  read(sessionId: SessionId): Promise<LiveDraft | undefined>;
}

/**
 * Keeps sessions. Every method that writes is one short transaction, none is held across a model, a tool or a person.
 * Throws StoreError where the store cannot do its work, after waiting for other writers for a while.
 */
export interface Store {
  readonly artifacts: Artifacts;
  readonly live: LiveRow;

  /** Writes the first entry of a new session. */
  create(id: SessionId, draft: Draft): Promise<Session>;

  /** The session after its last entry; costs what changed since this process last saw it. Undefined if there is none. */
  load(id: SessionId): Promise<Session | undefined>;

  /** The newest first. `prefix` keeps only ids that begin with it. */
  list(filter?: {
    readonly prefix?: string;
    readonly workspace?: string;
    readonly limit?: number;
  }): Promise<readonly SessionSummary[]>;

  /**
   * Appends one input and decides conflicts: the same id, or the same decision about the same arguments, is `same`.
   * Throws InputError for an unknown or settled target or another decision that has won; nothing is written then.
   */
  append(id: SessionId, input: Input, at: number): Promise<Appended>;

  /** Takes the lease if nobody holds it, if its holder is gone from this host, or if it expired; raises the epoch. */
  acquire(id: SessionId, owner: LeaseOwner, now: number): Promise<Acquired>;
  /** The heartbeat. False if the lease was taken over. */
  renew(lease: Lease, now: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  holder(id: SessionId): Promise<Holder | undefined>;

  /**
   * Makes drafts durable in one transaction: check the epoch, read what others appended after `base` and fold it, append,
   * save. `advanced` follow `base` and one another. If inputs had arrived, only the drafts of the first step (all with one
   * `base` seq) are folded again on top of them and kept, up to one that is superseded; the rest are dropped. Throws
   * FencedError if the lease was taken over.
   */
  commit(lease: Lease, base: Session, advanced: readonly Advanced[]): Promise<Committed>;

  /** Entries after a seq, with their content. */
  entries(id: SessionId, after: number, limit: number): Promise<readonly Entry[]>;

  /**
   * Tells every entry after a seq, once and in order, whoever wrote it, soon after it became durable. The only place that
   * polls (for what other processes wrote). The listener must not throw: that is its own uncaught error and no failure of a commit. Returns how to stop.
   */
  watch(id: SessionId, after: number, listener: (entry: Entry) => void): () => void;

  /** What is wrong with a stored session: hashes, content, the fold of the journal against the projection. Empty if nothing. */
  verify(id: SessionId): Promise<readonly Damage[]>;

  /** A self-contained export, line by line, without line ends. */
  export(id: SessionId): AsyncIterable<string>;
  /** Adds an exported session, under a new id if its own is taken; throws UsageError naming the line that cannot be read. */
  import(lines: AsyncIterable<string>, newId: () => SessionId): Promise<SessionId>;

  /** Takes a session and all of its rows away; UsageError if it is held. */
  delete(id: SessionId, now: number): Promise<void>;

  close(): Promise<void>;
}

/** How long a lease lasts without a heartbeat, and how often its owner renews it. */
export const LEASE_MS = 5_000;
export const HEARTBEAT_MS = 1_500;
