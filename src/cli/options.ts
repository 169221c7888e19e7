/** The flags that several commands share, each described once. */
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { OUTPUT_FORMATS } from "./output.ts";

export const MODES = ["ask", "auto-edit", "plan", "auto"] as const;

export function database(command: Command): Command {
  return command.option("--db <path>", "the database file (DACAPO_DB; default: in your folder for data)", given);
}

/** What a command needs that steps a session. */
export function outside(command: Command): Command {
  return database(command)
    .option("--base-url <url>", "in place of the provider's own address (DACAPO_BASE_URL)", given)
    .option("--mcp <file>", "a JSON file with mcpServers, whose tools are offered too", given)
    .addOption(
      new Option(
        "--durability <level>",
        "full survives a power loss; normal is faster and may lose the newest commits",
      ).choices(["full", "normal"]),
    );
}

export function output(command: Command): Command {
  return command.addOption(
    new Option(
      "--output <format>",
      "text for people, json for the outcome alone, stream-json for every entry and event",
    )
      .choices([...OUTPUT_FORMATS])
      .default("text"),
  );
}

/** Undefined if it is no whole number of at least 1, written in digits alone. */
export function countIn(text: string): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function count(text: string): number {
  const value = countIn(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError("It is a whole number of at least 1.");
}

/** A variable that a script forgot to set is not taken for a folder, a file or a name. */
export function given(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It is empty: give it a value, or leave the flag out.");
}

export function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError("It is a number from 0 to 65535.");
}

/** The examples at the end of a help page. */
export function examples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`);
}
