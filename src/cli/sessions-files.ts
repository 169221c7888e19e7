/** `dacapo sessions export|import|verify|delete`: sessions as files, and whether they are sound. */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { App } from "../app.ts";
import { UsageError } from "../core/error.ts";
import { withApp } from "./open-app.ts";
import type { AppFlags } from "./open-app.ts";
import { noteLine, printData, printLine } from "./output.ts";

export interface ExportFlags extends AppFlags {
  readonly out?: string;
}

export async function exportSession(name: string, { out, ...flags }: ExportFlags): Promise<number> {
  return withApp(flags, async (app) => {
    const id = await app.sessions.find(name);
    const lines = app.sessions.export(id);
    if (out === undefined) for await (const line of lines) await printData(line);
    else noteLine(`wrote session ${id} to ${await writeWhole(resolve(out), lines)}`);
    return 0;
  });
}

/** The file is there whole or not at all: it is written beside its place and moved there. */
async function writeWhole(path: string, lines: AsyncIterable<string>): Promise<string> {
  const beside = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      for await (const line of lines) await file.write(`${line}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
    return path;
  } catch (error) {
    await rm(beside, { force: true });
    throw isSystemError(error)
      ? new UsageError(`${path} cannot be written: ${error.message}`, { cause: error })
      : error;
  }
}

export async function importSession(file: string, flags: AppFlags): Promise<number> {
  const stream = file === "-" ? process.stdin : await opened(file);
  const work = async ({ sessions }: App): Promise<number> => {
    printLine(await sessions.import(linesOf(stream)));
    return 0;
  };
  return withApp(flags, work, { make: true });
}

/** A wrong path makes no database. */
async function opened(file: string): Promise<NodeJS.ReadableStream> {
  const unreadable = (why: string): UsageError =>
    new UsageError(`${file} cannot be read: ${why}. Give a file that \`dacapo sessions export ID --out FILE\` wrote.`);
  // A folder can be opened, and fails when it is read.
  const found = await stat(resolve(file)).catch(() => undefined);
  if (found?.isDirectory()) throw unreadable("it is a folder");
  const stream = createReadStream(resolve(file));
  return new Promise((done, fail) => {
    stream.once("open", () => done(stream));
    stream.once("error", (error: Error) => fail(unreadable(error.message)));
  });
}

/** Begins to read when the first line is wanted: readline tells lines to nobody until then. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, void, void> {
  yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
}

export async function verifySession(name: string, flags: AppFlags): Promise<number> {
  return withApp(flags, async (app) => {
    const id = await app.sessions.find(name);
    const damages = await app.sessions.verify(id);
    if (damages.length === 0) printLine(`session ${id} is sound`);
    for (const { seq, problem } of damages) printLine(`${seq === undefined ? "session" : `entry ${seq}`}: ${problem}`);
    return damages.length === 0 ? 0 : 1;
  });
}

export async function deleteSession(name: string, flags: AppFlags): Promise<number> {
  return withApp(flags, async (app) => {
    const id = await app.sessions.find(name);
    await app.sessions.delete(id);
    printLine(`deleted ${id}`);
    return 0;
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}
