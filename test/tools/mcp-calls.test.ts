import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { calculatorEffects } from "../../src/testing/calculator/journal.ts";
import { calculatorServer } from "../../src/testing/calculator/entry.ts";
import { startCalculatorHttp } from "../../src/testing/calculator/http.ts";
import { toolNames } from "../../src/tools/mcp/names.ts";
import type { McpServerEntry } from "../../src/tools/mcp/config.ts";
import { atEnd, context, folder, hostOf, text, until } from "./mcp-kit.ts";

const transports: readonly [string, (log?: string) => Promise<McpServerEntry>][] = [
  ["stdio", async (log) => calculatorServer(log === undefined ? {} : { log })],
  [
    "Streamable HTTP",
    async (log) => {
      const http = await startCalculatorHttp(log === undefined ? {} : { log });
      atEnd(() => http.close());
      return http.entry;
    },
  ],
];

describe.each(transports)("over %s", (_name, start) => {
  test("a call has its result, its effect once, and carries its idempotency key", async () => {
    const log = join(folder(), "effects");
    const host = hostOf({ calc: await start(log) });
    expect(await host.call("calc__add", { a: 2, b: 3 }, context("k1"))).toEqual({
      content: [text("5"), { type: "json", value: { result: 5, total: 5 } }],
    });
    expect(await host.call("calc__multiply", { a: 4 })).toMatchObject({ content: [text("20"), {}] });
    expect(await host.call("calc__total")).toEqual({ content: [text("20")] });
    expect(calculatorEffects(log)[0]).toEqual({ tool: "add", args: { a: 2, b: 3 }, idempotencyKey: "k1" });
    expect(calculatorEffects(log)).toHaveLength(3);
  });

  test("every kind of content arrives as what it is", async () => {
    const host = hostOf({ calc: await start() });
    const content = async (tool: string) => (await host.call(`calc__${tool}`)).content;
    expect(await content("nothing")).toEqual([]);
    expect(await content("image")).toEqual([
      { type: "file", mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) },
    ]);
    expect(await content("binary")).toEqual([
      { type: "file", mediaType: "application/octet-stream", data: "AP+AgQ==" },
    ]);
    expect(await content("repeat")).toEqual([{ type: "json", value: { rows: [1, 2, 3] } }]);
    expect(await content("links")).toEqual([
      text("calculator://manual:\nPress the keys."),
      text('Resource "tape" at calculator://tape (text/plain, 12 bytes): the paper tape'),
    ]);
    expect(await content("audience")).toEqual([
      text("for the user", { audience: { user: true, model: false } }),
      text("for the model", { audience: { user: false, model: true } }),
      text("for both"),
    ]);
    expect(await content("lone_surrogate")).toEqual([
      text("half \uFFFD of a pair"),
      { type: "json", value: { "key \uFFFD": ["\uFFFD"] } },
    ]);
  });

  test("progress is shown as it comes, and keeps a long call from timing out", async () => {
    const host = hostOf({ calc: { ...(await start()), timeoutSeconds: 0.6 } });
    const ctx = context();
    expect(await host.call("calc__slow", { milliseconds: 800, steps: 8 }, ctx)).toEqual({
      content: [text("waited 800 ms")],
    });
    expect(ctx.progressed.slice(0, 2)).toEqual([
      [1, 8, "step 1 of 8"],
      [2, 8, "step 2 of 8"],
    ]);
  });

  test("a call that says nothing for too long is answered as timed out, and the server serves on", async () => {
    const host = hostOf({ calc: { ...(await start()), timeoutSeconds: 0.5 } });
    expect(await host.call("calc__hang")).toEqual({
      errorKind: "tool_timeout",
      content: [text(expect.stringContaining("Timed out after 0.5 s without progress") as string)],
    });
    expect(await host.call("calc__total")).toEqual({ content: [text("0")] });
  });

  test("a cancelled call is answered at once and the server is told", async () => {
    const log = join(folder(), "effects");
    const host = hostOf({ calc: await start(log) });
    const ctx = context();
    const call = host.call("calc__slow", { milliseconds: 60_000, steps: 600 }, ctx);
    await until(() => ctx.progressed.length > 0);
    ctx.cancel();
    expect(await call).toEqual({
      errorKind: "tool_failed",
      content: [text(expect.stringMatching(/^Cancelled/) as string)],
    });
    await until(() => calculatorEffects(log).some(({ tool }) => tool === "cancelled"));
  });

  test("calls run at the same time: three of them meet at a barrier", async () => {
    const host = hostOf({ calc: await start() });
    const calls = await Promise.all([1, 2, 3].map(() => host.call("calc__barrier", { n: 3 })));
    expect(calls).toEqual(Array(3).fill({ content: [text("3 calls met at barrier")] }));
  });

  test("a tool that fails says so, and one that is gone from the server too", async () => {
    const host = hostOf({ calc: await start() });
    expect(await host.call("calc__fail", { message: "no ink" })).toEqual({
      errorKind: "tool_failed",
      content: [text("no ink")],
    });
    expect(await host.call("calc__divide", { a: 1, b: 0 })).toMatchObject({ errorKind: "tool_failed" });
    expect(await host.call("calc__add", { a: "many" })).toMatchObject({ errorKind: "tool_failed" });
  });

  test("a tool that the server adds is listed the next time", async () => {
    const host = hostOf({ calc: await start() });
    const before = await host.list();
    await host.call("calc__grow");
    let after = before;
    await expect.poll(async () => (after = await host.list()).length).toBe(before.length + 1);
    expect(await host.call("calc__grown")).toEqual({ content: [text("I am grown")] });
    expect(after.map(({ spec }) => spec.name)).toEqual([...before.map(({ spec }) => spec.name), "calc__grown"]);
  });

  test("the server learns the workspace, and a question to the person is answered cancel and shown", async () => {
    const host = hostOf({ calc: await start() });
    expect(await host.call("calc__roots")).toEqual({ content: [text(`file://${host.workspace}`)] });
    const ctx = context();
    expect(await host.call("calc__ask", { question: "Which one?" }, ctx)).toEqual({ content: [text("cancel")] });
    expect(ctx.progressed).toEqual([[0, undefined, expect.stringContaining("the server asks: Which one? (answered")]]);
    expect(host.logged.join()).toContain("Which one?");
  });
});

test("what a server says of its tools counts only if it is trusted", async () => {
  const entry = calculatorServer();
  const host = hostOf({ sure: entry, other: { ...entry, trustAnnotations: false } });
  const tools = await host.list();
  const declared = (name: string) => tools.find(({ spec }) => spec.name === name)?.declaration;
  expect(declared("sure__total")).toEqual({ readOnly: true, idempotent: true, touches: ["server:sure"] });
  expect(declared("sure__reset")).toEqual({ readOnly: false, idempotent: true, touches: ["server:sure"] });
  expect(declared("sure__add")).toEqual({ readOnly: false, idempotent: false, touches: ["server:sure"] });
  expect(declared("other__total")).toEqual({ readOnly: false, idempotent: false, touches: ["*"] });
});

test("arguments are checked against the schema that the server gave", async () => {
  const host = hostOf({ calc: calculatorServer() });
  const add = (await host.list()).find(({ spec }) => spec.name === "calc__add");
  expect(add?.check({ a: "2", b: 3 })).toEqual({ ok: true, args: { a: 2, b: 3 } });
  expect(add?.check({ b: 3 })).toEqual({ ok: false, problem: 'arguments: must have the property "a"; got {"b":3}' });
});

test("names are plain where they can be, and cut with a hash where they are too long or shared", () => {
  const origins = [
    { server: "files", tool: "read" },
    { server: "files", tool: "get.it" },
    { server: "a", tool: "b__c" },
    { server: "a__b", tool: "c" },
    { server: "s", tool: "x".repeat(80) },
  ];
  const names = toolNames(origins);
  expect(names.slice(0, 2)).toEqual(["files__read", "files__get_it"]);
  expect(names.slice(2)).toEqual([
    expect.stringMatching(/^a__b__c_[0-9a-f]{8}$/),
    expect.stringMatching(/^a__b__c_[0-9a-f]{8}$/),
    expect.stringMatching(/^s__x{52}_[0-9a-f]{8}$/),
  ]);
  expect(new Set(names).size).toBe(origins.length);
  expect(names[4]).toHaveLength(64);
  expect(toolNames(origins.toReversed())).toEqual(names.toReversed());
});

/** A server that is nothing but its answers, each the text of a result. */
function scripted(answers: Readonly<Record<string, string>>): McpServerEntry {
  const known = {
    initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
    "tools/list": '{"tools":[{"name":"odd","inputSchema":{"type":"object"}}]}',
    ...answers,
  };
  const script = `
    const answers = ${JSON.stringify(known)};
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (id !== undefined) console.log('{"jsonrpc":"2.0","id":' + id + ',"result":' + answers[method] + "}");
    });`;
  return { command: process.execPath, args: ["-e", script] };
}

const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

describe("an answer that is not as it should be", () => {
  test("is told in words and not as a dump, and names server and tool", async () => {
    const host = hostOf({ s: scripted({ "tools/call": '{"content":"text","isError":"no"}' }) });
    expect(await host.call("s__odd")).toEqual({
      errorKind: "tool_failed",
      content: [
        text(
          'The server "s" answered the call of "odd", which may have taken effect, with something that is no result: ' +
            "Invalid input: expected array, received string at content; Invalid input: expected boolean, received string at isError",
        ),
      ],
    });
  });

  test("is told in words when it is about the list of tools", async () => {
    const host = hostOf({ s: scripted({ "tools/list": '{"tools":7}' }) });
    await expect(host.connectAll()).rejects.toThrow(
      /did not list its tools: Invalid input: expected array, received number at tools\./,
    );
  });

  test("is told in words when it is about the beginning", async () => {
    const host = hostOf({ s: scripted({ initialize: '{"protocolVersion":7}' }) });
    await expect(host.connectAll()).rejects.toThrow(/it failed: Invalid input: [^[{]* at protocolVersion; /);
  });

  test("is left out where it is nested too deep, and the rest stays", async () => {
    const result = `{"content":[{"type":"text","text":"done"},{"type":"x","x":${nested}}],"structuredContent":{"a":${nested}}}`;
    const host = hostOf({ s: scripted({ "tools/call": result }) });
    expect(await host.call("s__odd")).toEqual({
      content: [
        text("done"),
        text('[content of the tool "odd" was left out: it is nested more than 200 levels deep]'),
        text('[structured content of the tool "odd" was left out: it is nested more than 200 levels deep]'),
      ],
    });
  });

  test("does not hide the other tools", async () => {
    const tools = `{"tools":[{"name":"deep","inputSchema":{"type":"object","x":${nested}}},{"name":"odd","inputSchema":{}}]}`;
    const host = hostOf({ s: scripted({ "tools/list": tools }) });
    expect((await host.list()).map(({ spec }) => spec.name)).toEqual(["s__odd"]);
    expect(host.logged.join()).toContain("a tool whose description is nested more than 200 levels deep was left out");
  });
});
