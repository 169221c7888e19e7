/** Nothing that a model, a tool or a file name holds is obeyed by a terminal. */
import { expect, test } from "vitest";
import { onlyColours, paletteFor } from "../../src/cli/colour.ts";
import { callText } from "../../src/cli/render-call.ts";
import { oneLine } from "../../src/cli/render-text.ts";
import { liveLines, transcriptLines } from "../../src/cli/render-transcript.ts";
import { safeText } from "../../src/cli/safe-text.ts";
import { AppendLog } from "../../src/core/append-log.ts";
import { emptySession } from "../../src/core/fold.ts";
import { SessionId } from "../../src/core/ids.ts";

const id = SessionId.parse("s1");

test("what a model wrote cannot move the cursor, and stays on its line", () => {
  expect(safeText("a\u001B[2Jb\r\u0007c\td\n")).toBe("abc\td\n");
  expect(oneLine("  a\n b  c ", 20)).toBe("a b c");
  expect(oneLine("👍👍👍👍", 3)).toBe("👍👍…");
  expect(callText("edit", { all: true, newText: "b", path: "a" })).toBe("edit(a, true, b)");
});

test("of what is printed, a terminal obeys our own colours and nothing else", () => {
  const { bold, red } = paletteFor({ isTTY: true }, {});
  const ours = bold(`a ${red("b")}`);
  expect(onlyColours(`${ours}\u001B[2J\u001B]0;title\u0007\u009B1m\r\n`)).toBe(`${ours}\n`);
  const evil = "x\u001B[2J\u001B[31m";
  const live = {
    reply: { messageId: "m", text: evil, reasoning: "" },
    calls: [{ callId: evil, tail: evil, message: evil }],
  };
  expect(liveLines(live as never, emptySession(id))).toEqual([
    "",
    "streaming just now:",
    "x",
    "",
    "running just now: x (x)",
    "x",
  ]);
});

test("a conversation on paper has no escapes but those of its own colours, whatever part they came in", () => {
  const evil = "x\u001B[2J\u001B[31m";
  const content = [
    { type: "text", text: evil },
    { type: "file", mediaType: evil, data: "" },
    { type: "json", value: { [evil]: evil } },
  ];
  const parts = [
    { type: "text", text: evil },
    { type: "reasoning", text: evil },
    { type: "file", name: evil, mediaType: evil, data: "" },
    { type: "call", callId: "c1" },
    { type: "provider-call", tool: evil, args: { [evil]: evil } },
    { type: "result", callId: "c1", isError: true, errorKind: "tool_failed", content, artifacts: [evil] },
  ];
  const message = { id: "m", kind: "reply", role: "assistant", by: evil, createdAt: "now", audience: {}, parts };
  const call = {
    id: "c1",
    tool: evil,
    status: "failed",
    requested: { [evil]: evil },
    decision: { verdict: "denied", by: evil },
  };
  const empty = emptySession(id);
  const session = {
    ...empty,
    session: { ...empty.session, title: evil, model: evil, workspace: evil },
    messages: AppendLog.of([message]),
    calls: { open: new Map(), settled: AppendLog.of([call]) },
    inputs: [{ held: false, input: { id: evil, type: "prompt" } }],
  };
  const palette = paletteFor({ isTTY: true }, {});
  const lines = transcriptLines(session as never, { palette, resultLines: 99 });
  expect(lines.join("\n")).toContain("\u001B[33mx\u001B[39m");
  expect(lines.filter((line) => onlyColours(line) !== line || line.includes("\u001B[31m"))).toEqual([]);
});
