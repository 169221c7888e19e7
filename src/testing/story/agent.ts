/** The agent of a story, in the words of its domain: what a person does, and what can be seen of it. */
import type { Call } from "../../core/call.ts";
import type { Entry } from "../../core/entry.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Configuration } from "../../core/input.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Session } from "../../core/session.ts";
import type { Appended } from "../../core/store.ts";
import type { Report } from "../../report.ts";
import type { NewInput, Sessions } from "../../sessions.ts";
import type { Hold } from "../fake-model/hold.ts";
import type { SeenRequest } from "../fake-model/seen.ts";
import type { FakeModel } from "../fake-model/server.ts";
import type { Gate } from "./gate.ts";
import type { Cut } from "./killed-machine.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A run that goes on while the story acts; await it for its report. */
export interface Running extends Promise<Report> {
  /**
   * Resolves when the run has come to a hold or gate. Rejects if it rests before that, so that a story never hangs; in
   * `killed` that ends the story early, because a call that was cut does not run again, and the standing checks hold there.
   */
  reached(hold: Pick<Hold, "reached">): Promise<void>;
  /** The same for a text that the model says or a tool prints: a hold says that it was sent, this says that it was shown. */
  shown(text: string): Promise<void>;
  /** Aborts the run as Ctrl-C does: a cancel by whoever runs it. */
  abort(): void;
}

/** Which pending call a decision is about: its tool's name, or a pattern for the name and the JSON of its arguments. */
export type WhichCall = string | RegExp;

export interface Approval {
  /** In place of the arguments that were asked about. */
  readonly args?: JsonObject;
  readonly scope?: "once" | "session";
}

export type ModeName = "straight" | "rebuilt" | "reopened" | "killed";

export interface Agent {
  readonly mode: ModeName;
  readonly model: FakeModel;
  readonly clock: VirtualClock;
  readonly sessionId: SessionId;
  /** Absolute path. */
  readonly workspace: string;
  /** Absolute path, for one more process on the same sessions. */
  readonly database: string;
  /** In `killed`, what the kill left behind; undefined before it and in the other modes. */
  readonly cut: Cut | undefined;
  /** Of the last run that came to rest. */
  readonly report: Report | undefined;
  readonly outcome: Report["outcome"] | undefined;

  /** The gate at which a hand-made tool or hook waits. */
  gate(name: string): Gate;
  /** How often a hand-made tool or hook counted something. */
  counted(what: string): number;

  /** Sends a prompt and runs until the session rests. */
  prompt(text: string): Promise<Report>;
  /** Sends a prompt, if there is one, and starts to run without waiting. */
  start(text?: string): Running;
  /** Goes on until the session rests. */
  run(): Promise<Report>;

  /** These only send an input; whatever runs takes it in, or the next run does. */
  queue(text: string): Promise<Appended>;
  steer(text: string): Promise<Appended>;
  approve(which: WhichCall, approval?: Approval): Promise<Appended>;
  deny(which: WhichCall, reason?: string): Promise<Appended>;
  cancel(): Promise<Appended>;
  continue(): Promise<Appended>;
  configure(set: Configuration): Promise<Appended>;
  withdraw(sent: Appended): Promise<Appended>;
  send(input: NewInput): Promise<Appended>;

  /**
   * The whole story as readable lines. Once a kill has cut a call in flight, or a reply that nobody asks for again, what comes
   * of the story is its own: then this, `effects` and `read` give what they gave when nobody was killed, so that the body
   * goes on. The standing checks look at what is really there, and so do `session`, `entries` and `everyEffect`.
   */
  transcript(): Promise<string>;
  /** What the calculator did, in the order of the calls, once for every time: `add {"a":1,"b":2}`. */
  effects(): Promise<readonly string[]>;
  /** A file of the workspace. */
  read(path: string): Promise<string>;
  everyEffect(): readonly string[];
  /** What the model was asked, without the requests whose answers were lost with a killed process. */
  requests(): readonly SeenRequest[];
  /** As a process that has never seen it reads it. */
  session(): Promise<Session>;
  entries(): Promise<readonly Entry[]>;
  /** Anything else that a frontend can do. */
  client<T>(act: (sessions: Sessions) => Promise<T>): Promise<T>;
}

/** What the acting half of an agent stands on. */
export interface ActingPorts {
  readonly sessionId: SessionId;
  readonly client: <T>(act: (sessions: Sessions) => Promise<T>) => Promise<T>;
  readonly session: () => Promise<Session>;
}

type Acts =
  | "queue"
  | "steer"
  | "approve"
  | "deny"
  | "cancel"
  | "continue"
  | "configure"
  | "withdraw"
  | "send"
  | "client";

/** The inputs of a person whose name is `user`. */
export function createActs({ sessionId, client, session }: ActingPorts): Pick<Agent, Acts> {
  const author = "user";
  const send = (input: NewInput): Promise<Appended> => client((sessions) => sessions.send(sessionId, input));
  const say = (type: "prompt" | "steer", text: string) => send({ type, author, parts: [{ type: "text", text }] });
  const pending = async (which: WhichCall): Promise<Call> => pendingCall(await session(), which);
  return {
    client,
    send,
    queue: (text) => say("prompt", text),
    steer: (text) => say("steer", text),
    approve: async (which, approval = {}) =>
      send({ type: "decision", author, callId: (await pending(which)).id, verdict: "approve", ...approval }),
    deny: async (which, reason) =>
      send({
        type: "decision",
        author,
        callId: (await pending(which)).id,
        verdict: "deny",
        ...(reason !== undefined && { reason }),
      }),
    cancel: () => send({ type: "cancel", author }),
    continue: () => send({ type: "continue", author }),
    configure: (set) => send({ type: "configure", author, set }),
    withdraw: ({ inputId }) => send({ type: "withdraw", author, inputId }),
  };
}

/** The first call that awaits a decision and that is meant. */
function pendingCall(session: Session, which: WhichCall): Call {
  const asked = [...session.calls.open.values()].filter(({ status }) => status === "awaiting_approval");
  const words = (call: Call): string => `${call.tool} ${JSON.stringify(call.args)}`;
  const found = asked.find((call) => (typeof which === "string" ? call.tool === which : which.test(words(call))));
  if (found) return found;
  throw new Error(
    `no call that matches ${String(which)} awaits a decision; those that do: ${asked.map(words).join("; ") || "none"}`,
  );
}
