/** What may happen to a session, in any order: a person acts, somebody takes steps, a process dies. */
import fc from "fast-check";
import type { Mode } from "../../src/core/input.ts";

export type PersonAction =
  | { readonly do: "prompt" | "steer" | "cancel" | "continue" | "withdraw" }
  | { readonly do: "decide"; readonly which: number; readonly verdict: "approve" | "deny"; readonly edits: boolean }
  | { readonly do: "configure"; readonly mode: Mode };

export type Action =
  | PersonAction
  | { readonly do: "run" | "step" | "reload" }
  /** One step that is dropped after so many commits. */
  | { readonly do: "partial"; readonly commits: number }
  /** A run that dies at a commit. */
  | { readonly do: "kill"; readonly commit: number; readonly when: "before" | "after" }
  /** A run in which somebody acts in another process just before a commit. */
  | { readonly do: "race"; readonly commit: number; readonly acts: readonly PersonAction[] }
  /** A run in which a person acts while the model or a tool is at work. */
  | { readonly do: "meanwhile"; readonly acts: readonly PersonAction[] };

const person: fc.Arbitrary<PersonAction> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("prompt" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("steer" as const, "cancel" as const, "continue" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("decide" as const),
      which: fc.nat(3),
      verdict: fc.constantFrom("approve" as const, "deny" as const),
      edits: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("configure" as const), mode: fc.constantFrom<Mode>("ask", "plan", "auto") }),
  },
);

/** What races with a commit is more often what it may not overlook. */
const interrupting: fc.Arbitrary<PersonAction> = fc.oneof(
  fc.record({ do: fc.constantFrom("steer" as const, "cancel" as const, "withdraw" as const) }),
  person,
);

export const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: person },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("run" as const, "step" as const, "reload" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("partial" as const), commits: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("kill" as const),
      commit: fc.integer({ min: 1, max: 4 }),
      when: fc.constantFrom("before" as const, "after" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("race" as const),
      commit: fc.integer({ min: 1, max: 4 }),
      acts: fc.array(interrupting, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("meanwhile" as const),
      acts: fc.array(person, { minLength: 1, maxLength: 3 }),
    }),
  },
);
