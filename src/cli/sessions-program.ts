/** The commands under `dacapo sessions`. */
import type { Command } from "commander";
import type { AppFlags } from "./open-app.ts";
import { count, database, examples, given } from "./options.ts";
import type { ExportFlags } from "./sessions-files.ts";
import type { ListFlags } from "./sessions-list.ts";
import type { ShowFlags } from "./sessions-show.ts";

type Exit = (code: number) => void;

export function addSessionCommands(program: Command, exit: Exit): void {
  const sessions = program
    .command("sessions")
    .description("Lists, shows, exports, imports, verifies and deletes sessions.");
  addReading(sessions, exit);
  addFiles(sessions, exit);
  examples(sessions, ["dacapo sessions list", "dacapo sessions show latest"]);
}

function addReading(sessions: Command, exit: Exit): void {
  const list = sessions
    .command("list")
    .description("Lists sessions, the newest first: how they stand, who holds them, what they cost.")
    .option("--here", "only those of this folder")
    .option("--limit <n>", "only so many", count)
    .option("--json", "print them as JSON");
  examples(database(list), ["dacapo sessions list --here", "dacapo sessions list --json"]).action(
    async (flags: ListFlags) => {
      const { listSessions } = await import("./sessions-list.ts");
      exit(await listSessions(flags));
    },
  );
  const show = sessions
    .command("show <ID>")
    .description("Prints the conversation.")
    .option("--full", "long results whole")
    .option("--json", "print the whole session as JSON");
  examples(database(show), ["dacapo sessions show latest", "dacapo sessions show latest --json"]).action(
    async (id: string, flags: ShowFlags) => {
      const { showSession } = await import("./sessions-show.ts");
      exit(await showSession(id, flags));
    },
  );
}

function addFiles(sessions: Command, exit: Exit): void {
  const files = () => import("./sessions-files.ts");
  const exporting = sessions
    .command("export <ID>")
    .description("Writes a session with its whole journal as JSON Lines, to stdout or a file.")
    .option("--out <file>", "a file, which is written whole or not at all", given);
  examples(database(exporting), ["dacapo sessions export latest --out session.jsonl"]).action(
    async (id: string, flags: ExportFlags) => exit(await (await files()).exportSession(id, flags)),
  );
  const importing = sessions
    .command("import <FILE>")
    .description("Adds an exported session (- reads stdin) and prints its id, a new one if its own is taken.");
  examples(database(importing), ["dacapo sessions import session.jsonl"]).action(
    async (file: string, flags: AppFlags) => exit(await (await files()).importSession(file, flags)),
  );
  const verifying = sessions
    .command("verify <ID>")
    .description("Checks hashes and content, and folds the journal anew to compare; exits 1 if anything is damaged.");
  examples(database(verifying), ["dacapo sessions verify latest"]).action(async (id: string, flags: AppFlags) =>
    exit(await (await files()).verifySession(id, flags)),
  );
  const deleting = sessions
    .command("delete <ID>")
    .description("Takes a session away for good; refuses while a process holds it.");
  examples(database(deleting), ["dacapo sessions delete 7kq2"]).action(async (id: string, flags: AppFlags) =>
    exit(await (await files()).deleteSession(id, flags)),
  );
}
