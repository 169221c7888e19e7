/** The tool that runs a shell command. */
import { z } from "zod";
import type { HostedTool, ToolContext, ToolResult } from "../core/tool.ts";
import { builtinTool } from "./builtin-tool.ts";
import { commandEnvironment } from "./command-environment.ts";
import { runCommand, type CommandEnd } from "./run-command.ts";
import type { Environment } from "./secrets.ts";
import { countText } from "./text-size.ts";
import { failedResult, textResult } from "./tool-result.ts";

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;

const BashInput = z.strictObject({
  command: z.string().min(1).describe("The command; several lines are fine."),
  timeoutSeconds: z
    .number()
    .min(0.1)
    .max(MOST_SECONDS)
    .optional()
    .describe(`After this time it is killed. Default ${DEFAULT_SECONDS}.`),
});
type BashInput = z.infer<typeof BashInput>;

const DESCRIPTION = `Runs a bash command in the workspace folder and returns what it prints and its exit code. Each call is a \
new shell: cd and variables do not carry over. There is no input and no terminal; API keys and tokens are not in the \
environment. What still runs in the background when the command ends is killed, but for a process that left its session and \
cleared its environment (setsid env -i): it cannot be found, so start none. \
To read, find and change files use read, grep, glob, list, edit and write instead.`;

export function createBashTool(environment: Environment): HostedTool {
  return builtinTool({
    name: "bash",
    description: DESCRIPTION,
    input: BashInput,
    declaration: { readOnly: false, idempotent: false, touches: ["*"] },
    subject: ({ command }) => (typeof command === "string" ? command : undefined),
    run: (input, ctx) => runBash(input, environment, ctx),
  });
}

async function runBash(input: BashInput, environment: Environment, ctx: ToolContext): Promise<ToolResult> {
  const seconds = input.timeoutSeconds ?? DEFAULT_SECONDS;
  const collector = ctx.collector();
  const command = {
    text: input.command,
    timeoutMs: seconds * 1000,
    environment: commandEnvironment(environment, ctx.callId),
  };
  const end = await runCommand(command, ctx, (text) => collector.write(text));
  const { text, artifact } = collector.finish();
  const output = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const result = resultOf(end, output, seconds);
  return artifact === undefined ? result : { ...result, artifacts: [artifact] };
}

function resultOf(end: CommandEnd, output: string, seconds: number): ToolResult {
  const left = end.left > 0 ? `\n[${countText(end.left, "process", "processes")} could not be killed]` : "";
  switch (end.reason) {
    case "exited": {
      const background =
        end.killed > 0 ? `\n[${countText(end.killed, "background process", "background processes")} killed]` : "";
      const text = `${output}[${exitText(end)}${output === "" ? ", no output" : ""}]${background}${left}`;
      return end.code === 0 ? textResult(text) : failedResult("tool_failed", text);
    }
    case "timeout": {
      const advice = seconds < MOST_SECONDS ? `; timeoutSeconds can be up to ${MOST_SECONDS}` : "";
      return failedResult("tool_timeout", `${output}[killed after ${seconds} s, before it was done${advice}]${left}`);
    }
    case "aborted":
      return failedResult("tool_failed", `${output}[cancelled and killed before it was done]${left}`);
    default:
      return end.reason satisfies never;
  }
}

function exitText(end: CommandEnd): string {
  return end.signal === null ? `exit code ${end.code ?? "unknown"}` : `ended by ${end.signal}`;
}
