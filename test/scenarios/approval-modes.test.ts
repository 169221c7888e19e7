/** Modes: what runs, what is asked about and what is refused, for every kind of tool. */
import { expect } from "vitest";
import type { Mode } from "../../src/core/input.ts";
import { call } from "../../src/testing/index.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";

const MODES: readonly Mode[] = ["ask", "auto-edit", "plan", "auto"];
const WORDS = { succeeded: "runs", awaiting_approval: "asks", denied: "refused" } as const;

const BUILT_IN: Readonly<Record<Mode, string>> = {
  ask: "bash asks, edit asks, read runs, write asks",
  "auto-edit": "bash asks, edit runs, read runs, write runs",
  plan: "bash refused, edit refused, read runs, write refused",
  auto: "bash runs, edit runs, read runs, write runs",
};

/** `total` says that it only reads, `reset` that it is safe to repeat. */
const CALCULATOR = {
  trusted: {
    ask: "reset asks, total runs",
    "auto-edit": "reset asks, total runs",
    plan: "reset refused, total runs",
    auto: "reset runs, total runs",
  },
  untrusted: {
    ask: "reset asks, total asks",
    "auto-edit": "reset asks, total asks",
    plan: "reset refused, total refused",
    auto: "reset runs, total runs",
  },
} as const;

/** One turn in a mode: a call of every kind of tool in one reply, and what became of each. */
async function tried(agent: Agent, mode: Mode): Promise<string> {
  await agent.configure({ mode });
  await agent.prompt(`in mode ${mode}`);
  const { calls, turn } = await agent.session();
  const own = [...calls.settled, ...calls.open.values()].filter(({ turnId }) => turnId === turn?.id);
  const became = own.map(({ tool, status }) => `${tool} ${WORDS[status as keyof typeof WORDS] ?? status}`);
  await agent.cancel();
  await agent.run();
  return became
    .map((line) => line.replace("calculator__", ""))
    .toSorted()
    .join(", ");
}

for (const calculator of ["trusted", "untrusted"] as const) {
  story(
    `the mode of the session decides for each kind of tool, with the annotations of a server ${calculator}`,
    async (agent) => {
      agent.model
        .on("in mode")
        .times(4)
        .says([
          call("read", { path: "a.txt" }),
          call("edit", { path: "a.txt", oldText: "end", newText: "and no end" }),
          call("write", { path: "b.txt", content: "two" }),
          call("bash", { command: "true" }),
          call("calculator__total"),
          call("calculator__reset"),
        ]);
      agent.model.on("not permitted").replies("Planned.");
      agent.model.on("exit code 0").replies("All of it.");
      for (const mode of MODES) {
        const expected = `${BUILT_IN[mode]}, ${CALCULATOR[calculator][mode]}`.split(", ").toSorted().join(", ");
        const became = await tried(agent, mode);
        if (agent.cut === undefined) expect(`${mode}: ${became}`).toBe(`${mode}: ${expected}`);
      }
    },
    { calculator, files: { "a.txt": "the end\n" }, cuts: 1 },
  );
}
