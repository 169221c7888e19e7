/** The modes of a story: in one process, rebuilt after every step, reopened after every commit, killed at every commit. */
import { killedMachine } from "./killed-machine.ts";
import { emptyMemory, recalling, remembering } from "./memory.ts";
import type { Memory } from "./memory.ts";
import { reopenedMachine, straightMachine } from "./machine.ts";
import type { Machine } from "./machine.ts";
import type { CutPoint } from "./mortal-store.ts";
import { perform } from "./perform.ts";
import { rebuiltMachine } from "./rebuilt-machine.ts";
import { differentRequest, plainRequests } from "./same-requests.ts";
import type { Story, StoryMode } from "./story.ts";
import type { World } from "./world.ts";

const CUTS = 6;

/** What the straight performance leaves for the others to be compared with. */
interface Reference {
  readonly transcript: string;
  readonly commits: number;
  /** For each request the number of the rule that answered it. */
  readonly answeredBy: readonly (number | undefined)[];
  readonly memory: Memory;
  readonly requests: readonly string[];
}

/** One entry for each mode; each can run alone. The modes but `killed` must give one transcript. */
export function storyModes(story: Story): readonly StoryMode[] {
  let made: Promise<Reference> | undefined;
  const reference = (): Promise<Reference> => (made ??= performStraight(story));
  return [
    { name: "straight", run: async () => void (await reference()) },
    { name: "rebuilt", run: () => performLike(story, "rebuilt", reference) },
    { name: "reopened", run: () => performLike(story, "reopened", reference) },
    { name: "killed", run: async () => performKilled(story, await reference()) },
  ];
}

async function performStraight(story: Story): Promise<Reference> {
  const memory = emptyMemory();
  let commits = 0;
  let left: Reference | undefined;
  await perform(story, {
    mode: "straight",
    recall: () => remembering(memory),
    machine: (world) => straightMachine(world, () => (commits += 1)),
    async afterwards({ agent }, world) {
      left = {
        transcript: await agent.transcript(),
        commits,
        answeredBy: agent.model.answeredBy,
        memory,
        requests: plainRequests(world),
      };
    },
  });
  if (!left) throw new Error(`the story "${story.title}" was cut though nobody was killed`);
  return left;
}

const MACHINES: Readonly<Record<"rebuilt" | "reopened", (world: World) => Promise<Machine>>> = {
  rebuilt: (world) => Promise.resolve(rebuiltMachine(world)),
  reopened: reopenedMachine,
};

/** A failure of the straight performance is told by its own mode. */
async function performLike(
  story: Story,
  mode: "rebuilt" | "reopened",
  reference: () => Promise<Reference>,
): Promise<void> {
  const straight = await reference().catch(() => undefined);
  await perform(story, {
    mode,
    recall: () => remembering(emptyMemory()),
    machine: MACHINES[mode],
    async afterwards({ agent }, world) {
      if (!straight) return;
      const told = await agent.transcript();
      if (told !== straight.transcript) {
        throw new Error(`the transcript differs.\nstraight:\n${straight.transcript}\n\n${mode}:\n${told}`);
      }
      const asked = differentRequest(straight.requests, plainRequests(world));
      if (asked !== undefined) throw new Error(`the model was not asked the same as in straight: ${asked}`);
    },
  });
}

async function performKilled(story: Story, straight: Reference): Promise<void> {
  for (const cut of cutPoints(straight.commits, story.options.cuts ?? CUTS)) {
    try {
      await perform(story, {
        mode: "killed",
        machine: (world) => killedMachine(world, cut),
        fallback: (asked) => straight.answeredBy[asked],
        recall: (changed) => recalling(straight.memory, changed),
      });
    } catch (error) {
      if (error instanceof Error) error.message = `killed ${cut.when} commit ${cut.commit}: ${error.message}`;
      throw error;
    }
  }
}

/** Every commit, or as many as are asked for, evenly spread; at each the process dies just before and just after it. */
function cutPoints(commits: number, most: number): readonly CutPoint[] {
  const count = Math.min(commits, most);
  const chosen = Array.from(
    { length: count },
    (_, at) => 1 + Math.round((at * (commits - 1)) / Math.max(1, count - 1)),
  );
  return chosen.flatMap((commit) => [
    { commit, when: "before" },
    { commit, when: "after" },
  ]);
}
