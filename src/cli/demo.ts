/** `dacapo demo`: the built-in model repairs a small project, and the commands that look at that very session. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "../core/ids.ts";
import { paletteFor } from "./colour.ts";
import { withApp } from "./open-app.ts";
import { noteLine, printLine } from "./output.ts";
import { run } from "./run.ts";
import { commandLine } from "./shell.ts";

const MODEL = "demo";

/** 0 only if the session completed and the tests of the project pass. */
export async function demo(): Promise<number> {
  const { bold, dim, green, red } = paletteFor(process.stderr, process.env);
  const folder = await mkdtemp(join(tmpdir(), "dacapo-demo-"));
  const [project, db] = [join(folder, "project"), join(folder, "sessions.db")];
  await mkdir(project);
  const { prepareDemo } = await import("../app.ts");
  const prompt = await prepareDemo(project);
  noteLine(bold("dacapo demo: a built-in model, offline and free of charge, repairs a small project"));
  noteLine(
    dim(
      `The project is ${project}; mode auto: nothing is asked. Each line is one commit, by the operation that it names.`,
    ),
  );
  noteLine(`\n> ${prompt}\n`);
  const code = await run(prompt, { db, cwd: project, model: MODEL, mode: "auto", output: "text", wait: true });
  const passed = await testsPass(project);
  noteLine(passed ? green("\nThe tests of the project pass.") : red("\nThe tests of the project fail."));
  const id = await withApp({ db }, ({ sessions }) => sessions.find("latest"));
  for (const line of nextLines({ db, project, id }, prompt)) printLine(line);
  return code === 0 && !passed ? 1 : code;
}

async function testsPass(project: string): Promise<boolean> {
  const tests = spawn(process.execPath, ["--test"], { cwd: project, stdio: "ignore" });
  return new Promise((resolve) => {
    tests.once("error", () => resolve(false));
    tests.once("close", (code) => resolve(code === 0));
  });
}

interface Played {
  readonly db: string;
  readonly project: string;
  readonly id: SessionId;
}

function nextLines({ db, project, id }: Played, prompt: string): readonly string[] {
  const line = (...words: readonly string[]): string => `  ${commandLine([...words, "--db", db])}`;
  return [
    "",
    "The conversation is the state, and it is in one file. Look at this very session:",
    line("sessions", "show", id),
    line("explain", id),
    line("sessions", "export", id),
    "Go on with it (kill it anywhere, and the same line resumes it):",
    line("run", "-s", id, "What did you change?"),
    line("step", id),
    "Do it again, step by step under your eyes: it stops where it needs your approval, and says how to give it:",
    line("run", "--model", MODEL, "--mode", "ask", "--cwd", project, prompt),
    "With a model of your own (ANTHROPIC_API_KEY, OPENAI_API_KEY, …):",
    `  ${commandLine(["run", "--model", "anthropic/claude-sonnet-5-5", "--cwd", project, "Add a test for an order of zero pieces."])}`,
  ];
}
