/** Decides which calls may run: by mode and grants, or by asking. Only an approved call ever runs. */
import type { Call } from "../core/call.ts";
import type { EffectOf } from "../core/effect.ts";
import type { Mode } from "../core/input.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import type { SessionInfo } from "../core/session.ts";
import { deny } from "./decision.ts";
import { covers } from "./grant.ts";

interface Policy {
  readonly verdict: "allow" | "ask" | "deny";
  readonly reason: string;
}

type Decided = EffectOf<"call.decide" | "call.ask" | "call.settle" | "message.append">;

/** How far the effects of a call reach: nowhere, into files of the workspace, or anywhere. */
type Reach = "reads" | "edits" | "anything";

const BY_MODE: Readonly<Record<Mode, Readonly<Record<Reach, Policy["verdict"]>>>> = {
  ask: { reads: "allow", edits: "ask", anything: "ask" },
  "auto-edit": { reads: "allow", edits: "allow", anything: "ask" },
  plan: { reads: "allow", edits: "deny", anything: "deny" },
  auto: { reads: "allow", edits: "allow", anything: "allow" },
};

/** Asks are stored before anyone is told; nothing runs and nothing waits meanwhile. */
export const approval = () =>
  defineOperation({
    name: "approval",
    reads: ["session", "calls"],
    writes: ["call.decide", "call.ask", "call.settle", "message.append"],
    after: ["admit"],
    durability: "on-barrier",
    claim: ({ calls }) => {
      const admitted = [...calls.open.values()].filter((call) => call.status === "admitted");
      return admitted.length > 0
        ? claim(admitted, `${admitted.map((call) => call.tool).join(", ")} may run or not`)
        : pass("no call is admitted and undecided");
    },
    async *run(admitted, ctx, { session }) {
      yield admitted.flatMap((call): readonly Decided[] => {
        const { verdict, reason } = policyFor(call, session);
        if (verdict === "ask") return [{ type: "call.ask" as const, id: call.id, reason }];
        const decision = { hash: call.hash ?? "", by: "policy", reason };
        if (verdict === "deny") return deny(call, { ...decision, verdict: "denied" }, ctx);
        return [{ type: "call.decide" as const, id: call.id, decision: { ...decision, verdict: "approved" as const } }];
      });
    },
  });

function policyFor(call: Call, { mode, grants }: SessionInfo): Policy {
  const reach = reachOf(call);
  const verdict = BY_MODE[mode][reach];
  if (verdict !== "ask")
    return { verdict, reason: `mode ${mode} ${verdict === "allow" ? "allows" : "does not allow"} ${WORDS[reach]}` };
  const grant = grants.find((candidate) => covers(candidate, call));
  if (grant) return { verdict: "allow", reason: `granted for the session with call ${grant.callId}` };
  return { verdict: "ask", reason: `mode ${mode} asks before ${WORDS[reach]}` };
}

const WORDS: Readonly<Record<Reach, string>> = {
  reads: "tools that only read",
  edits: "tools that edit the workspace",
  anything: "tools that may do anything",
};

/** A tool that says nothing of itself may do anything. */
function reachOf({ declaration }: Call): Reach {
  if (!declaration) return "anything";
  if (declaration.readOnly) return "reads";
  return declaration.touches.length > 0 && declaration.touches.every((what) => what === "workspace")
    ? "edits"
    : "anything";
}
