#!/usr/bin/env node
/** The executable; all it does is in cli/. */
import module from "node:module";
import { runCommandLine } from "./cli/command-line.ts";

// From Node 22 on, what was compiled once is kept for the next start.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

process.exitCode = await runCommandLine(process.argv.slice(2));
