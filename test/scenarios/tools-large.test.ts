/** Large output: kept whole as an artifact, shown with its head, its tail, its size and the way to the rest. */
import { expect } from "vitest";
import type { ToolResult } from "../../src/core/tool.ts";
import { call, handMadeTool } from "../../src/testing/index.ts";
import type { Agent } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { resultsSent, SAFE } from "./tool-kit.ts";

const gives = (name: string, run: () => ToolResult | string) => handMadeTool({ ...SAFE, name, run });
const text = (said: string) => ({ type: "text" as const, text: said });

/** The artifact that the last request tells of last, as `read` takes it. */
function artifactOf(agent: Agent): string {
  return /artifact:[A-Za-z0-9_-]+/.exec(agent.requests().at(-1)?.rawBody ?? "")?.[0] ?? "no artifact";
}

/** Asks for lines of the artifact in a turn of its own, and gives what the model got. */
async function readMore(agent: Agent, lines: { readonly offset: number; readonly limit: number }): Promise<string> {
  const prompt = `more from ${lines.offset}`;
  agent.model.on(prompt).calls("read", { path: artifactOf(agent), ...lines });
  agent.model.on((request) => request.messages.at(-1)?.role === "tool").replies("I see.");
  await agent.prompt(prompt);
  return resultsSent(agent).at(-1) ?? "";
}

story(
  "a hundred thousand lines of a command are there to be read, and the conversation stays small",
  async (agent) => {
    agent.model.on("go").calls("bash", { command: "seq 100000; exit 3" });
    agent.model.on("exit code 3").replies("Long.");
    await agent.prompt("go");
    const [shown = ""] = resultsSent(agent);
    expect(shown.length).toBeLessThan(20_000);
    expect(shown).toMatch(/^!1\n2\n3\n/);
    expect(shown).toMatch(/\[… 57\d{4} of 588895 characters are not shown; read them with read {"path": "artifact:/);
    expect(shown).toMatch(/\n99999\n100000\n\[exit code 3\]$/);
    expect(await readMore(agent, { offset: 50_000, limit: 2 })).toMatch(/^50000\t50000\n50001\t50001\n/);
    expect(await readMore(agent, { offset: 99_999, limit: 9 })).toMatch(/^99999\t99999\n100000\t100000\n/);
    const lines = (await agent.transcript()).split("\n").filter((line) => !/^ +\d+$/.test(line));
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "user      go
      assistant → bash {"command":"seq 100000; exit 3"}
      result    bash failed(tool_failed): 1
                …(14496 more)…6
                [exit code 3]
      assistant Long.
      outcome   completed
      user      more from 50000
      assistant → read {"limit":2,"offset":50000,"path":"artifact:<id>"}
      result    read ok: 50000	50000
                50001	50001
                [lines 50000 to 50001; more follow: read {"path":"artifact:<id>","offset":50002}]
      assistant I see.
      outcome   completed
      user      more from 99999
      assistant → read {"limit":9,"offset":99999,"path":"artifact:<id>"}
      result    read ok: 99999	99999
                100000	100000
                [end of the file: 100000 lines]
      assistant I see.
      outcome   completed"
    `);
  },
  // Not safe to repeat: a kill leaves nothing to read.
  { cuts: 0 },
);

story(
  "large text of a server is shown by its two ends and read by its lines",
  async (agent) => {
    agent.model.on("go").calls("calculator__big", { bytes: 160_000 });
    agent.model.on("not shown").replies("Long.");
    await agent.prompt("go");
    const [shown = ""] = resultsSent(agent);
    expect(shown).toMatch(/^line 0000000001\nline 0000000002\n/);
    expect(shown).toMatch(/\[… \d+ of 160000 characters are not shown/);
    expect(shown).toMatch(/\nline 0000010000\n?$/);
    expect(shown.length).toBeLessThan(20_000);
    expect(await readMore(agent, { offset: 5_000, limit: 1 })).toMatch(/^5000\tline 0000005000\n/);
  },
  { calculator: "trusted", cuts: 2 },
);

story(
  "large structured output is kept and read in the same way",
  async (agent) => {
    agent.model.on("go").says([call("calculator__big", { bytes: 160_000, structured: true }), call("json")]);
    agent.model.on("not shown").replies("Long.");
    await agent.prompt("go");
    const [ofServer = "", ofTool = ""] = resultsSent(agent);
    for (const shown of [ofServer, ofTool]) {
      expect(shown).toMatch(/{\n  "rows": \[\n    "line 0000000001",\n/);
      expect(shown).toMatch(/\[… \d+ of \d+ characters are not shown/);
      expect(shown).toMatch(/"line 0000010000"\n  \]\n}$/);
      expect(shown.length).toBeLessThan(20_000);
    }
    expect(await readMore(agent, { offset: 5_003, limit: 1 })).toMatch(/^5003\t    "line 0000005000",\n/);
  },
  { calculator: "trusted", cuts: 2, tools: () => [gives("json", manyRows)] },
);

function manyRows(): ToolResult {
  const rows = Array.from({ length: 10_000 }, (_, at) => `line ${String(at + 1).padStart(10, "0")}`);
  return { content: [{ type: "json", value: { rows } }] };
}

story(
  "output of one long line is cut between characters, and all of it can be read",
  async (agent) => {
    agent.model.on("go").calls("line");
    agent.model.on("not shown").replies("Long.");
    await agent.prompt("go");
    const [shown = ""] = resultsSent(agent);
    expect(shown).toMatch(/^begin(😀)+\n\[… \d+ of 80008 characters are not shown/u);
    expect(shown).toMatch(/…\]\n(😀)+end$/u);
    const pieces: string[] = [];
    for (let offset = 1; offset <= 41; offset += 12) pieces.push(await readMore(agent, { offset, limit: 12 }));
    const read = pieces
      .join("\n")
      .replaceAll(/^\d+\t|\n\[.*$/gm, "")
      .replaceAll(/\n/g, "");
    expect([read.length, read === oneLine()]).toEqual([oneLine().length, true]);
  },
  { cuts: 1, tools: () => [gives("line", oneLine)] },
);

function oneLine(): string {
  return `begin${"😀".repeat(40_000)}end`;
}

story(
  "many pieces that are large only together are bounded too",
  async (agent) => {
    agent.model.on("go").calls("pieces");
    agent.model.on("not shown").replies("Many.");
    await agent.prompt("go");
    const [shown = ""] = resultsSent(agent);
    expect(shown).toContain("piece 1 ");
    expect(shown.length).toBeLessThan(20_000);
    expect(await readMore(agent, { offset: 590, limit: 1 })).toMatch(/^590\tpiece 20 x/);
  },
  {
    cuts: 1,
    tools: () => [
      gives("pieces", () => ({
        content: Array.from({ length: 20 }, (_, at) => text(`piece ${at + 1} ${"x".repeat(60_000)}`)),
      })),
    ],
  },
);
