/** Decides what the demo model does next; it looks at what its tools really returned, as a model would. */
import type { JsonObject } from "../../core/json.ts";
import type { Done } from "./story.ts";
import { DEMO_BUG, DEMO_FIX, DEMO_SOURCE, DEMO_TEST } from "./workspace.ts";

export interface Turn {
  readonly reasoning?: string;
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly args: JsonObject }[];
}

export const OFFLINE_ANSWER =
  "I am dacapo's built-in demo. I work offline and play one task only: repairing the small project that `dacapo demo` " +
  "prepares. For anything else choose a real model: set a key such as ANTHROPIC_API_KEY and say " +
  "`--model anthropic/NAME`, `--model openai/NAME` or `--model google/NAME`, or use a server of your own with " +
  "`--model openai-compatible/NAME --base-url http://localhost:11434/v1`.";

const MOST_INTERRUPTIONS = 5;

/** `offered` are the names of the tools that may be called. */
export function nextTurn(story: readonly Done[], offered: readonly string[]): Turn {
  const turn = decide(story);
  const missing = turn.calls.find((call) => !offered.includes(call.tool));
  return missing === undefined
    ? turn
    : say(`I would now use the tool \`${missing.tool}\`, but it is not offered to me here, so I have to stop.`);
}

function decide(story: readonly Done[]): Turn {
  const last = story.at(-1);
  const tests = story.filter(isTestRun);
  const failed = story.find((done) => done.ending === "failed" && !isTestRun(done));
  if (failed !== undefined)
    return say(
      `${nameOf(failed)} did not work: ${firstLine(failed.text)}\n\nI stop here; the project is as the last step that worked left it.`,
    );
  if (story.filter((done) => done.ending === "interrupted").length > MOST_INTERRUPTIONS) {
    return say("I was interrupted too often, so I stop here.");
  }
  const turn = step(story, tests);
  return last?.ending === "interrupted" ? { ...turn, text: `${nameOf(last)} was interrupted. ${turn.text}` } : turn;
}

function step(story: readonly Done[], tests: readonly Done[]): Turn {
  if (!story.some((done) => done.tool === "list" && done.ending === "worked")) return look();
  const unread = [DEMO_SOURCE, DEMO_TEST].filter((path) => readOf(story, path) === -1);
  if (unread.length > 0) return read(unread);
  const test = tests.at(-1);
  if (test === undefined) return run("Now I run the tests, to see what fails.");
  const edited = story.findLastIndex((done) => done.tool === "edit");
  if (edited === -1) return repair(story, test);
  // An edit that was interrupted may or may not have happened: the file knows.
  if (story[edited]?.ending === "interrupted") {
    if (readOf(story, DEMO_SOURCE) < edited) return read([DEMO_SOURCE]);
    if (showsBug(story)) return edit("The change is not in the file, so I make it now.");
  }
  if (story.lastIndexOf(test) < edited) return run("The change is made. I run the tests again.");
  return passes(test)
    ? say(
        `All tests pass now.\n\nThe bug was in \`${DEMO_SOURCE}\`: the discount is promised from 10 pieces on, but \`${DEMO_BUG}\` gave it only from 11 on. I changed it to \`${DEMO_FIX}\`.`,
      )
    : say(
        `I changed \`${DEMO_BUG}\` to \`${DEMO_FIX}\`, but the tests still fail (${summary(test)}). That is more than this demo can repair.`,
      );
}

function repair(story: readonly Done[], test: Done): Turn {
  if (passes(test)) return say(`The tests already pass (${summary(test)}): there is nothing to repair.`);
  if (!showsBug(story)) {
    return say(
      `The tests fail (${summary(test)}), but not because of the bug that this demo knows. I leave the project as it is.`,
    );
  }
  return {
    ...edit("The test with ten pieces fails: the discount begins one piece too late. I correct the comparison."),
    reasoning: `The comment promises the discount from 10 pieces on; \`${DEMO_BUG}\` leaves out exactly 10.`,
  };
}

const look = (): Turn => ({
  reasoning: "Before changing anything I should know what is there and what the tests say.",
  text: "I look at the project first.",
  calls: [{ tool: "list", args: {} }],
});

const read = (paths: readonly string[]): Turn => ({
  text: `I read ${paths.map((path) => `\`${path}\``).join(" and ")}.`,
  calls: paths.map((path) => ({ tool: "read", args: { path } })),
});

const run = (text: string): Turn => ({ text, calls: [{ tool: "bash", args: { command: "node --test" } }] });

const edit = (text: string): Turn => ({
  text,
  calls: [{ tool: "edit", args: { path: DEMO_SOURCE, oldText: DEMO_BUG, newText: DEMO_FIX } }],
});

const say = (text: string): Turn => ({ text, calls: [] });

/** A run of the tests is known by its count of failures, which Node prints in every format. */
const FAILURES = /\bfail (\d+)/;

function isTestRun({ tool, text, ending }: Done): boolean {
  return tool === "bash" && ending !== "interrupted" && FAILURES.test(text);
}

function passes(test: Done): boolean {
  return FAILURES.exec(test.text)?.[1] === "0";
}

function summary(test: Done): string {
  return `${FAILURES.exec(test.text)?.[1] ?? "?"} failing`;
}

/** Where the file was last read, or -1. */
function readOf(story: readonly Done[], path: string): number {
  return story.findLastIndex((done) => done.tool === "read" && done.path === path && done.ending === "worked");
}

function showsBug(story: readonly Done[]): boolean {
  return story[readOf(story, DEMO_SOURCE)]?.text.includes(DEMO_BUG) === true;
}

function nameOf({ tool, path }: Done): string {
  return `\`${tool}\`${path === undefined ? "" : ` of \`${path}\``}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] || "no reason was given";
}
