/** The commands and their flags; what a command does is loaded when it is called. */
import { Command, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { ExplainFlags } from "./explain.ts";
import type { FakeModelFlags } from "./fake-model.ts";
import { count, database, examples, given, MODES, output, outside, port } from "./options.ts";
import { writeErr, writeOut } from "./output.ts";
import type { RunFlags } from "./run-flags.ts";
import type { SendFlags } from "./send.ts";
import { addSessionCommands } from "./sessions-program.ts";
import type { StepFlags } from "./step.ts";

/** `exit` is told the exit code of the command that ran. */
export function createProgram(exit: (code: number) => void): Command {
  const program = new Command("dacapo")
    .description("An engine for agents, and a coding agent on top of it, whose persisted conversation is the state.")
    .version(manifest.version)
    .exitOverride()
    .configureOutput({
      writeOut,
      writeErr,
      outputError: (text, write) => write(text.replace(/^error: /, "dacapo: ")),
    })
    .showHelpAfterError("(--help shows how it is used)");
  addRun(program, exit);
  addSend(program, exit);
  addStep(program, exit);
  addExplain(program, exit);
  addSessionCommands(program, exit);
  addFakeModel(program, exit);
  addDemo(program, exit);
  examples(program, ["dacapo demo", 'dacapo run --model anthropic/claude-sonnet-5-5 "fix the failing test"']);
  return program;
}

type Exit = (code: number) => void;

function addRun(program: Command, exit: Exit): void {
  const command = program
    .command("run [PROMPT]")
    .description(
      "Sends a prompt (- reads it from stdin) and runs until the machine rests. Without one, -s goes on from where the session stands.",
    )
    .option("-s, --session <id>", "a session: its id, a unique beginning of it, or latest", given)
    .option("-c, --continue", "the newest session of this folder")
    .option("--model <provider/name>", "anthropic, openai, google, openai-compatible or demo (DACAPO_MODEL)", given)
    .addOption(
      new Option(
        "--mode <mode>",
        "what runs unasked: reading (ask), edits too (auto-edit), only reading (plan), all (auto)",
      ).choices([...MODES]),
    )
    .option("--max-turns <n>", "model calls in a turn", count)
    .option("--title <text>", "the session's title; by default the beginning of its first prompt", given)
    .option("--cwd <dir>", "the folder that a new session works in; by default this one", given)
    .option("--no-wait", "exit 6 if another process holds the session, instead of following it");
  examples(output(outside(command)), [
    'dacapo run --model demo "hello"',
    'dacapo run --model anthropic/claude-sonnet-5-5 --mode auto-edit "fix the failing test"',
    "git diff | dacapo run --model openai/gpt-6.1-sol --output json -",
    'dacapo run -c "and now the documentation"',
    "dacapo run -s latest",
  ]).action(async (prompt: string | undefined, flags: RunFlags) => {
    const { run } = await import("./run.ts");
    exit(await run(prompt, flags));
  });
}

function addSend(program: Command, exit: Exit): void {
  const command = program
    .command("send <ID>")
    .description("Appends one input to a session, from any process, and exits; whoever runs the session takes it in.")
    .option("--prompt <text>", "starts a turn when none is open (- reads stdin)")
    .option("--steer <text>", "reaches the model at the next boundary of the open turn (- reads stdin)")
    .option("--approve <call>", "lets a call run that waits for approval", given)
    .option("--args <json>", "with --approve: run it with these arguments instead", given)
    .addOption(
      new Option("--scope <scope>", "with --approve: this call, or every such call of the session").choices([
        "once",
        "session",
      ]),
    )
    .option("--deny <call>", "refuses a call that waits for approval", given)
    .option("--reason <text>", "with --deny: what the model is told", given)
    .option("--answer <question-and-json...>", "answers a question: its id and the answer as JSON")
    .option("--cancel", "ends the open turn")
    .option("--continue", "goes on after a turn that ended short")
    .option("--withdraw <input>", "takes an input back that was not taken in yet", given)
    .option("--set <key=value...>", "model, mode, title or max-turns")
    .option(
      "--id <id>",
      "the input's id, 1 to 40 of A-Z a-z 0-9 _ - such as a UUID: the same id again is the same input",
      given,
    )
    .option("--json", "print the answer as JSON");
  examples(database(command), [
    'dacapo send latest --steer "use the existing function"',
    "dacapo send latest --approve CALL --scope session",
    'dacapo send latest --deny CALL --reason "not on this branch"',
    "dacapo send latest --set mode=auto-edit max-turns=200",
  ]).action(async (id: string, flags: SendFlags) => {
    const { send } = await import("./send.ts");
    exit(await send(id, flags));
  });
}

function addStep(program: Command, exit: Exit): void {
  const command = program
    .command("step <ID>")
    .description("Takes exactly one step and prints what it committed.")
    .option("--commits <n>", "stop after so many commits of the step, as a crash would", count);
  examples(output(outside(command)), [
    "dacapo step latest",
    "dacapo step latest --commits 1 --output stream-json",
  ]).action(async (id: string, flags: StepFlags) => {
    const { step } = await import("./step.ts");
    exit(await step(id, flags));
  });
}

function addExplain(program: Command, exit: Exit): void {
  const command = program
    .command("explain <ID>")
    .description("Shows every operation in order, whether it would act now, and why; changes nothing.")
    .option("--json", "print it as JSON");
  examples(database(command), ["dacapo explain latest", "dacapo explain latest --json"]).action(
    async (id: string, flags: ExplainFlags) => {
      const { explain } = await import("./explain.ts");
      exit(await explain(id, flags));
    },
  );
}

function addFakeModel(program: Command, exit: Exit): void {
  const command = program
    .command("fake-model <SCRIPT>")
    .description("Serves scripted replies on a loopback port, as Anthropic Messages and OpenAI chat completions do.")
    .option("--port <n>", "a port; by default a free one", port);
  examples(command, [
    "dacapo fake-model script.json --port 8123",
    'dacapo run --model openai-compatible/fake --base-url http://127.0.0.1:8123/v1 "hello"',
  ]).action(async (script: string, flags: FakeModelFlags) => {
    const { fakeModel } = await import("./fake-model.ts");
    exit(await fakeModel(script, flags));
  });
}

function addDemo(program: Command, exit: Exit): void {
  const command = program
    .command("demo")
    .description("Shows it all offline: a built-in model repairs a small project, and you look at its session.");
  examples(command, ["dacapo demo"]).action(async () => {
    const { demo } = await import("./demo.ts");
    exit(await demo());
  });
}
