import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { atEnd, context, folder, hostOf, text } from "./mcp-kit.ts";

const fileOf = (name: string) => fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
const everything = { command: process.execPath, args: [fileOf("server-everything")] };

test("the reference server with everything works over stdio", async () => {
  const host = hostOf({ all: everything });
  expect(await host.call("all__echo", { message: "hi" })).toEqual({ content: [text("Echo: hi")] });
  expect(await host.call("all__get-sum", { a: 1, b: 2 })).toMatchObject({
    content: [{ text: expect.stringContaining("3") }],
  });
  expect(
    (await host.call("all__get-structured-content", { location: "Chicago" })).content.map(({ type }) => type),
  ).toEqual(["json"]);
  expect((await host.call("all__get-tiny-image")).content).toContainEqual(
    expect.objectContaining({ type: "file", mediaType: "image/png" }),
  );
  expect(await host.call("all__get-roots-list")).toMatchObject({
    content: [{ text: expect.stringContaining(host.workspace) }],
  });
  const ctx = context();
  await host.call("all__trigger-long-running-operation", { duration: 0.2, steps: 2 }, ctx);
  expect(ctx.progressed.length).toBeGreaterThan(0);
});

test("the reference server with everything works over Streamable HTTP", async () => {
  const port = await freePort();
  const child = spawn(everything.command, [...everything.args, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  atEnd(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await new Promise<void>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (line: string) => line.includes("listening") && resolve());
  });
  const host = hostOf({ all: { url: `http://127.0.0.1:${port}/mcp` } });
  expect(await host.call("all__echo", { message: "hi" })).toEqual({ content: [text("Echo: hi")] });
  expect(await host.call("all__trigger-elicitation-request")).toMatchObject({ content: expect.arrayContaining([]) });
  expect(host.logged.join()).toContain('answered "cancel"');
});

test("the reference file system server reads within the workspace that it learns as a root, and gives a text once", async () => {
  const workspace = folder();
  writeFileSync(join(workspace, "note.txt"), "remember the milk");
  const host = hostOf(
    { files: { command: process.execPath, args: [fileOf("server-filesystem"), workspace] } },
    { workspace },
  );
  expect(await host.call("files__read_text_file", { path: join(workspace, "note.txt") })).toEqual({
    content: [text("remember the milk")],
  });
  expect(await host.call("files__read_text_file", { path: "/etc/passwd" })).toMatchObject({ errorKind: "tool_failed" });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
