/** Runs one command line and gives its exit code: every failure ends here, in words and, where asked for, as JSON. */
import { wordsOf } from "../core/error.ts";
import type { Report } from "../report.ts";
import { isBadUsage, isFolderGone, isParsingError } from "./bad-usage.ts";
import { formatOf, noteLine, printJson, toleratePipes } from "./output.ts";
import { createProgram } from "./program.ts";

export async function runCommandLine(args: readonly string[]): Promise<number> {
  toleratePipes();
  let code = 0;
  const program = createProgram((given) => {
    code = given;
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return failed(error, args);
  }
}

const FOLDER_GONE = "The folder that this was started in is gone: go to one that is there (cd), and try again.";

async function failed(error: unknown, args: readonly string[]): Promise<number> {
  if (isParsingError(error)) {
    if (error.exitCode === 0) return 0;
    // Commander has told it on stderr already.
    return ended({ kind: "usage", message: error.message.replace(/^error: /, "") }, args);
  }
  const message = isFolderGone(error) ? FOLDER_GONE : wordsOf(error);
  noteLine(`dacapo: ${message}`);
  if (isBadUsage(error) || isFolderGone(error)) return ended({ kind: "usage", message }, args);
  if (error instanceof Error && error.name === "StoreError") return ended({ kind: "store", message }, args);
  if (error instanceof Error && process.env["DACAPO_DEBUG"]) noteLine(error.stack ?? "");
  return ended({ kind: "internal", message }, args);
}

type Failed = Extract<Report["outcome"], { readonly status: "failed" }>;

async function ended(error: Failed["error"], args: readonly string[]): Promise<number> {
  if (formatOf(args) !== "text") {
    const { emptyReport } = await import("../report.ts");
    printJson(emptyReport({ status: "failed", error } as Failed));
  }
  return error.kind === "usage" ? 2 : 1;
}
