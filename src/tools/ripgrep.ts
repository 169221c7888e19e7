/** Runs ripgrep and gives its matches one by one, until enough. */
import { spawn, type ChildProcess } from "node:child_process";
import { ToolRefusal } from "./tool-result.ts";

const LONGEST_LINE_BYTES = 400;
const LONGEST_COMPLAINT = 2000;

export interface Search {
  /** The executable. */
  readonly ripgrep: string;
  readonly pattern: string;
  /** The folder that it runs in, and below it what to search. */
  readonly root: string;
  readonly relative: string;
  readonly glob?: string;
  /** Whether .gitignore files count although there is no repository; those above the root do not then. */
  readonly isInRepository: boolean;
  readonly signal: AbortSignal;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The matches in the order of the paths. Leaving the loop ends the process. A pattern that is not valid throws a ToolRefusal. */
export async function* searchMatches(search: Search): AsyncGenerator<Match> {
  const child = spawn(search.ripgrep, argumentsOf(search), {
    cwd: search.root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
  });
  const kill = (): void => void child.kill("SIGKILL");
  search.signal.addEventListener("abort", kill, { once: true });
  const ended = endOf(child);
  const complaint = complaintOf(child);
  try {
    let begun = "";
    for await (const line of linesOf(child)) {
      const record = begun + line;
      const match = matchOf(record);
      if (match !== undefined) yield match;
      begun = match !== undefined || OF_A_BINARY_FILE.test(line) ? "" : `${record}\n`;
    }
    const code = await ended;
    search.signal.throwIfAborted();
    if (code !== 0 && code !== 1 && complaint.text !== "") throw refusal(complaint.text);
  } finally {
    search.signal.removeEventListener("abort", kill);
    kill();
  }
}

function argumentsOf(search: Search): string[] {
  const output = "--color=never --no-heading --with-filename --line-number --null --sort=path --max-columns-preview";
  const scope = "--no-config --no-messages --hidden --crlf --no-ignore-global --no-ignore-dot --no-ignore-exclude";
  return [
    ...`${output} ${scope}`.split(" "),
    `--max-columns=${LONGEST_LINE_BYTES}`,
    ...(search.isInRepository ? [] : ["--no-require-git", "--no-ignore-parent"]),
    ...(search.glob === undefined ? [] : ["--glob", search.glob]),
    "--glob",
    "!.git",
    "--regexp",
    search.pattern,
    "--",
    `./${search.relative}`,
  ];
}

function endOf(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("close", (code) => resolve(code));
    child.once("error", (error) => {
      reject(
        new ToolRefusal(
          `ripgrep could not be started (${error.message}). Search with bash and grep -rn.`,
          "tool_unavailable",
        ),
      );
    });
  });
  ended.catch(() => undefined);
  return ended;
}

function complaintOf(child: ChildProcess): { text: string } {
  const complaint = { text: "" };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint.text = (complaint.text + text).slice(0, LONGEST_COMPLAINT);
  });
  return complaint;
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of child.stdout?.setEncoding("utf8") ?? []) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** All that ripgrep says beside matches. Another line that is no match is the beginning of one whose path has line breaks. */
const OF_A_BINARY_FILE = /: binary file matches \(found |^WARNING: |: WARNING: /;

/** `./path NUL line:text`. */
function matchOf(line: string): Match | undefined {
  const [, path, number, text] = /^(?:\.\/)*([^\0]*)\0(\d+):(.*?)\r?$/s.exec(line) ?? [];
  if (path === undefined || text === undefined) return undefined;
  return { path, line: Number(number), text };
}

function refusal(complaint: string): ToolRefusal {
  const text = complaint
    .replaceAll(/^rg: /gm, "")
    .replace(/\n+Consider enabling[^]*$/, "")
    .trim();
  return new ToolRefusal(`The pattern cannot be used: ${text}`);
}
