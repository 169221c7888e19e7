/** Runs the built command line as a person would, in a workspace and a database of its own. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly done: Promise<Finished>;
  /** Resolves once stdout or stderr holds the text; rejects if the process ends without it. */
  says(text: string): Promise<void>;
  /** What it has printed so far. */
  told(): { readonly stdout: string; readonly stderr: string };
}

export interface Cli {
  readonly workspace: string;
  readonly db: string;
  readonly folder: string;
  start(args: readonly string[], options?: { readonly stdin?: string }): Running;
  run(...args: readonly string[]): Promise<Finished>;
  /** A line as it is printed, in a shell that finds `dacapo`. */
  shell(line: string): Promise<Finished>;
}

/** `environment` is all that is set besides the path; npm's own variables are not. */
export function createCli(environment: Readonly<Record<string, string>> = {}): Cli {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, "work");
  const bin = join(folder, "bin");
  mkdirSync(workspace);
  mkdirSync(bin);
  const main = inject("commandLine");
  writeFileSync(join(bin, "dacapo"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
  const db = join(folder, "sessions.db");
  const env = { HOME: folder, DACAPO_DB: db, ...environment, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const start = (command: string, args: readonly string[], stdin = ""): Running => {
    const child = spawn(command, args, { cwd: workspace, env, stdio: "pipe" });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.on("error", () => undefined).end(stdin);
    return watched(child);
  };
  return {
    workspace,
    db,
    folder,
    start: (args, { stdin } = {}) => start(process.execPath, [main, ...args], stdin),
    run: (...args) => start(process.execPath, [main, ...args]).done,
    shell: (line) => start("/bin/sh", ["-c", line]).done,
  };
}

function watched(child: ChildProcess): Running {
  const told = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      told[name] += text;
      for (const look of waiting) look();
    });
  }
  let ended = false;
  const done = new Promise<Finished>((resolve) => {
    child.once("close", (code) => {
      ended = true;
      resolve({ code, ...told });
      for (const look of waiting) look();
    });
  });
  return {
    child,
    done,
    told: () => ({ ...told }),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = told.stdout.includes(text) || told.stderr.includes(text);
          if (!found && !ended) return;
          waiting.delete(look);
          if (found) resolve();
          else reject(new Error(`the process ended without saying "${text}":\n${told.stdout}\n${told.stderr}`));
        };
        waiting.add(look);
        look();
      }),
  };
}

/** The JSON of the last line on stdout. */
export function lastLine({ stdout }: Finished): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
}

export function jsonLines({ stdout }: Finished): readonly Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
