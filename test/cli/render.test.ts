/** How entries, outcomes, calls and tables read; and the small rules of paths, quoting and colours. */
import { expect, onTestFinished, test, vi } from "vitest";
import { paletteFor } from "../../src/cli/colour.ts";
import { explainedLines } from "../../src/cli/explain.ts";
import { formatOf, printData } from "../../src/cli/output.ts";
import { dataFolder } from "../../src/cli/place.ts";
import { createNarrator } from "../../src/cli/render-entry.ts";
import { exitCodeOf, outcomeText } from "../../src/cli/render-outcome.ts";
import { ageText, costText, plural } from "../../src/cli/render-text.ts";
import { listLines } from "../../src/cli/sessions-list.ts";
import { programName, quoted } from "../../src/cli/shell.ts";
import { emptySession } from "../../src/core/fold.ts";
import { Entry } from "../../src/core/entry.ts";
import { SessionId } from "../../src/core/ids.ts";

const id = SessionId.parse("s1");

function lineOf(narrator: ReturnType<typeof createNarrator>, operation: string, ...effects: readonly object[]): string {
  const entry = Entry.parse({
    type: "commit",
    seq: 3,
    at: 1_000,
    epoch: 1,
    base: 2,
    index: 0,
    operation,
    reason: "because",
    turn: "t1",
    from: "deciding",
    to: "deciding",
    effects,
  });
  const { who, what } = narrator.lineOf(entry);
  return `${who} ${what}`;
}

test("each commit is told in one line, and a call by its name and arguments", () => {
  const narrator = createNarrator(emptySession(id));
  const declaration = { readOnly: true, idempotent: true, touches: ["workspace"] };
  const asked = { messageId: "m1", providerId: "p1", owner: "tool-exec", declaration };
  const result = { type: "result", callId: "c1", isError: false, content: [{ type: "text", text: "1\n2\n3" }] };
  const failed = { ...result, callId: "c2", isError: true, content: [{ type: "text", text: "no such file\nat all" }] };
  expect([
    lineOf(narrator, "inference", {
      type: "call.request",
      id: "c1",
      tool: "read",
      requested: { path: "a.js" },
      ...asked,
    }),
    lineOf(narrator, "inference", { type: "call.request", id: "c2", tool: "bash", requested: "{bad", ...asked }),
    lineOf(narrator, "approval", { type: "call.ask", id: "c1", reason: "mode ask" }),
    lineOf(narrator, "tool-exec", { type: "call.dispatch", id: "c1", epoch: 1 }),
    lineOf(
      narrator,
      "tool-exec",
      { type: "message.append", message: { id: "m2", kind: "result", parts: [result] } },
      { type: "call.settle", id: "c1", status: "succeeded", messageId: "m2" },
    ),
    lineOf(
      narrator,
      "tool-exec",
      { type: "message.append", message: { id: "m3", kind: "result", parts: [failed] } },
      { type: "call.settle", id: "c2", status: "failed", messageId: "m3" },
    ),
    lineOf(narrator, "retry", { type: "timer.set", timer: { id: "w1", purpose: "ask the model again", until: 3_500 } }),
    lineOf(narrator, "settle", { type: "turn.end", outcome: { status: "completed" } }),
    lineOf(narrator, "stop-hook", { type: "note.set", operation: "stop-hook", version: 1, data: null }),
  ]).toEqual([
    "inference calls read(a.js)",
    "inference calls bash({bad)",
    'approval asks: read "a.js"',
    "tool-exec starts read",
    "tool-exec read: 3 lines",
    "tool-exec bash failed: no such file",
    "retry waits 2.5 s to ask the model again",
    "settle ends the turn: completed",
    "stop-hook because",
  ]);
});

test("a tool whose name holds an escape is told without it", () => {
  const evil = "x\u001B[2J\u001B[31m";
  const narrator = createNarrator(emptySession(id));
  const asked = { messageId: "m1", providerId: "p1", owner: null, declaration: null };
  expect(lineOf(narrator, "inference", { type: "call.request", id: "c1", tool: evil, requested: evil, ...asked })).toBe(
    "inference calls x(x)",
  );
});

test("outcomes are told in words, and a cancel exits by the signal that it came from", () => {
  expect(outcomeText({ status: "budget", budget: "inferences", used: 5, limit: 5 })).toBe(
    "out of budget: 5 of 5 model calls used",
  );
  expect(exitCodeOf({ status: "cancelled" })).toBe(130);
  expect(exitCodeOf({ status: "cancelled" }, "SIGTERM")).toBe(143);
  expect(exitCodeOf({ status: "completed" }, "SIGTERM")).toBe(0);
  expect(exitCodeOf({ status: "blocked", reason: "" })).toBe(5);
});

test("a line of data is written when the reader has taken what was waiting, or has left", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(false);
  onTestFinished(() => write.mockRestore());
  for (const end of ["drain", "close"]) {
    let done = false;
    const printing = printData("{}").then(() => (done = true));
    await new Promise(setImmediate);
    expect(done).toBe(false);
    process.stdout.emit(end);
    await printing;
  }
});

test("numbers, costs and ages are short", () => {
  expect([plural(1, "token"), plural(1_234_567, "token")]).toEqual(["1 token", "1,234,567 tokens"]);
  expect([costText(null), costText(0), costText(0.004), costText(1.5)]).toEqual([
    "cost unknown",
    "$0.00",
    "under $0.01",
    "$1.50",
  ]);
  const now = Date.parse("2026-01-02T00:00:00Z");
  expect(
    ["2026-01-01T23:59:30Z", "2026-01-01T23:00:00Z", "2025-12-30T00:00:00Z"].map((at) => ageText(at, now)),
  ).toEqual(["30 s", "1 h", "3 d"]);
});

test("explain marks the operation that would act, and says who holds the session", () => {
  const owner = { id: "o", host: "here", pidNamespace: "", pid: 7, processStart: "" };
  const lines = explainedLines(
    {
      session: id,
      seq: 4,
      heldBy: { owner, expiresAt: 0 },
      lifecycle: "deciding",
      outcome: null,
      operations: [
        { operation: "intake", claims: false, why: "no input is pending" },
        { operation: "inference", claims: true, why: "m owes a reply" },
      ],
      next: "inference",
    },
    paletteFor({}, {}),
  );
  expect(lines).toEqual([
    "session s1 at entry 4, deciding",
    "held by process 7 on here until 1970-01-01T00:00:00.000Z; this is what the next owner would do",
    "    intake     no input is pending",
    "->  inference  m owes a reply",
    "next: inference",
  ]);
});

test("the list says how a session stands, and who holds it", () => {
  const at = "2026-01-01T00:00:00Z";
  const common = { id, workspace: "/w", model: "demo", seq: 3, createdAt: at, updatedAt: at };
  const owner = { id: "o", host: "here", pidNamespace: "", pid: 7, processStart: "" };
  expect(
    listLines(
      [
        {
          ...common,
          title: "a\nb",
          lifecycle: "acting",
          outcome: undefined,
          cost: 0.5,
          holder: { owner, expiresAt: 0 },
        },
        { ...common, title: undefined, lifecycle: "acting", outcome: undefined, cost: null, holder: undefined },
        { ...common, title: "c", lifecycle: "ended", outcome: { status: "completed" }, cost: 0, holder: undefined },
      ],
      Date.parse(at),
    ),
  ).toEqual([
    "ID  STANDS                     COST     CHANGED  MODEL  TITLE",
    "s1  held by process 7 on here  $0.50    0 s ago  demo   a b",
    "s1  stopped in mid-turn        unknown  0 s ago  demo",
    "s1  completed                  $0.00    0 s ago  demo   c",
  ]);
});

test("colours are for terminals without NO_COLOR", () => {
  const red = (isTTY: boolean, environment: Record<string, string>) => paletteFor({ isTTY }, environment).red("x");
  expect([red(true, {}), red(true, { NO_COLOR: "1" }), red(true, { TERM: "dumb" }), red(false, {})]).toEqual([
    "\u001B[31mx\u001B[39m",
    "x",
    "x",
    "x",
  ]);
});

test("the format is found in arguments that cannot be parsed", () => {
  expect(formatOf(["--bogus", "--output", "json"])).toBe("json");
  expect(formatOf(["run", "--output=stream-json", "--output"])).toBe("text");
  expect(formatOf(["explain", "--json"])).toBe("json");
  expect(formatOf(["run", "--", "--output", "json"])).toBe("text");
});

test("data is kept where the platform keeps it, and words are quoted for a shell", () => {
  expect(dataFolder("linux", {}, "/home/a")).toBe("/home/a/.local/share/dacapo");
  expect(dataFolder("linux", { XDG_DATA_HOME: "/data" }, "/home/a")).toBe("/data/dacapo");
  expect(dataFolder("linux", { XDG_DATA_HOME: "data" }, "/home/a")).toBe("/home/a/.local/share/dacapo");
  expect(dataFolder("darwin", {}, "/Users/a")).toBe("/Users/a/Library/Application Support/dacapo");
  expect(["a/b.db", "it's", "a b", ""].map(quoted)).toEqual(["a/b.db", `'it'\\''s'`, "'a b'", "''"]);
  expect([programName({}), programName({ npm_lifecycle_event: "npx" })]).toEqual(["dacapo", "npx dacapo"]);
});
