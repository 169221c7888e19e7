#!/usr/bin/env node
/** The executable; all it does is in cli/. */
import { runCommandLine } from "./cli/command-line.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
