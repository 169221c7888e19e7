import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { workbench } from "./workbench.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a text file is shown with its line numbers, whatever its byte order mark and line endings", async () => {
  const bench = workbench({ "a.txt": "\uFEFFone\r\ntwo\r\n\r\nfour", "lf.txt": "one\n" });
  expect(await bench.text("read", { path: "a.txt" })).toBe("1\tone\n2\ttwo\n3\t\n4\tfour");
  expect(await bench.text("read", { path: "./lf.txt" })).toBe("1\tone");
});

test("a part of a file names the call that shows the next one, and following those shows every line once", async () => {
  const lines = Array.from({ length: 4500 }, (_, at) => `line ${at + 1}`);
  const bench = workbench({ "long.txt": `${lines.join("\n")}\n` });
  expect(await bench.text("read", { path: "long.txt", offset: 3, limit: 2 })).toBe(
    '3\tline 3\n4\tline 4\n[lines 3 to 4; more follow: read {"path":"long.txt","offset":5}]',
  );
  const seen: string[] = [];
  for (let args: { path: string; offset?: number } | undefined = { path: "long.txt" }; args !== undefined;) {
    const text = await bench.text("read", args);
    seen.push(
      ...text
        .split("\n")
        .filter((line) => !line.startsWith("["))
        .map((line) => line.split("\t")[1] ?? ""),
    );
    const next = /read (\{.*\})\]/.exec(text)?.[1];
    args = next === undefined ? undefined : (JSON.parse(next) as { path: string; offset: number });
  }
  expect(seen).toEqual(lines);
});

test("the last part says that the file ends, and an offset behind the end says how many lines there are", async () => {
  const bench = workbench({ "a.txt": "one\ntwo\nthree\n" });
  expect(await bench.text("read", { path: "a.txt", offset: 3 })).toBe("3\tthree\n[end of the file: 3 lines]");
  expect(await bench.text("read", { path: "a.txt", limit: 3 })).toBe("1\tone\n2\ttwo\n3\tthree");
  expect(await bench.text("read", { path: "a.txt", offset: 4 })).toBe(
    'tool_failed: "a.txt" has 3 lines, so there is none at offset 4.',
  );
});

test("long lines are cut between characters and much text stops at 50 KB", async () => {
  const bench = workbench({
    "wide.txt": `${"x".repeat(1999)}😀tail\nshort\n`,
    "much.txt": `${"y".repeat(999)}\n`.repeat(200),
  });
  const wide = await bench.text("read", { path: "wide.txt" });
  expect(wide).toBe(
    `1\t${"x".repeat(1999)}… [cut: 2005 characters]\n2\tshort\n[lines over 2000 characters are cut; bash with cut -c shows the rest of one]`,
  );
  const much = await bench.text("read", { path: "much.txt" });
  expect(much.length).toBeLessThan(52 * 1024);
  expect(much).toContain('more follow: read {"path":"much.txt","offset":52}');
});

test("a file of gigabytes is read from its beginning without being loaded", async () => {
  const bench = workbench({ "huge.log": `first\n${"z".repeat(20_000)}\n` });
  truncateSync(join(bench.workspace, "huge.log"), 3 * 1024 ** 3);
  const before = process.memoryUsage().rss;
  expect(await bench.text("read", { path: "huge.log", limit: 1 })).toContain("1\tfirst\n[lines 1 to 1; more follow");
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 ** 2);
});

test("reading far into a huge file stops at once on cancel", async () => {
  const bench = workbench({ "huge.log": "x".repeat(9000) });
  truncateSync(join(bench.workspace, "huge.log"), 3 * 1024 ** 3);
  const reading = bench.text("read", { path: "huge.log", offset: 1_000_000 });
  setImmediate(() => bench.abort.abort());
  expect(await reading).toBe("tool_failed: [cancelled before it was done]");
});

test("an image comes as a file by what it holds, not by its name", async () => {
  const bench = workbench({ "picture.txt": PNG, "a.gif": "GIF89a......", "a.webp": "RIFF....WEBPVP8 " });
  expect((await bench.call("read", { path: "picture.txt" })).content).toEqual([
    { type: "text", text: `picture.txt: image/png, ${PNG.length} bytes` },
    { type: "file", mediaType: "image/png", data: PNG.toString("base64") },
  ]);
  expect(await bench.text("read", { path: "a.gif" })).toContain("image/gif");
  expect(await bench.text("read", { path: "a.webp" })).toContain("image/webp");
});

test("binary, empty, special and missing files are told in words", async () => {
  const bench = workbench({
    "a.bin": Buffer.from([1, 0, 2]),
    "empty.txt": "",
    "src/settings.ts": "x",
    "latin1.txt": Buffer.from([0x63, 0xe9, 0x0a]),
  });
  execFileSync("mkfifo", [join(bench.workspace, "pipe")]);
  expect(await bench.text("read", { path: "a.bin" })).toContain(
    '"a.bin" is a binary file (3 bytes), which read does not show',
  );
  expect(await bench.text("read", { path: "empty.txt" })).toBe("[empty.txt is empty]");
  expect(await bench.text("read", { path: "src" })).toContain('"src" is a folder. Use list');
  expect(await bench.text("read", { path: "." })).toContain('"." is a folder. Use list');
  expect(await bench.text("read", { path: "pipe" })).toContain("a named pipe, not a regular file");
  expect(await bench.text("read", { path: "src/setings.ts" })).toBe(
    'tool_failed: "src/setings.ts" does not exist. Did you mean "src/settings.ts"?',
  );
  expect(await bench.text("read", { path: "scr/settings.ts" })).toContain('there is no "scr" in "."');
  expect(await bench.text("read", { path: "empty.txt/x" })).toContain("is not a folder, or a part of its path");
  expect(await bench.text("read", { path: "latin1.txt" })).toContain("1\tc\uFFFD\n[\uFFFD stands for bytes");
});

test("UTF-16 with a byte order mark is text", async () => {
  const bench = workbench({ "a.txt": Buffer.from("\uFEFFüber\r\nzwei", "utf16le") });
  expect(await bench.text("read", { path: "a.txt" })).toBe("1\tüber\n2\tzwei");
});

test("an artifact is read by lines, across the borders of its pieces", async () => {
  const bench = workbench();
  const lines = Array.from({ length: 20_000 }, (_, at) => `😀 ${at + 1}`);
  const whole = lines.join("\n");
  const readArtifact = (id: string, offset: number, limit: number) =>
    id === "a1" ? { text: whole.slice(offset, offset + limit), size: whole.length } : undefined;
  expect(await bench.text("read", { path: "artifact:a1", offset: 15_000, limit: 1 }, { readArtifact })).toBe(
    '15000\t😀 15000\n[lines 15000 to 15000; more follow: read {"path":"artifact:a1","offset":15001}]',
  );
  expect(await bench.text("read", { path: "artifact:b2" }, { readArtifact })).toContain('There is no artifact "b2"');
  const tool = await bench.tool("read");
  expect(tool.check({ path: "artifact:a1" })).toMatchObject({ subject: "artifact:a1" });
});

test("the permission subject is the path in the workspace, however it is written", async () => {
  const bench = workbench();
  const tool = await bench.tool("read");
  const subject = (path: string) => tool.check({ path });
  expect(subject("./a/../b.txt")).toMatchObject({ subject: "b.txt" });
  expect(subject(join(bench.workspace, "b.txt"))).toMatchObject({ subject: "b.txt" });
  expect(subject("../x")).toMatchObject({ subject: join(bench.outside, "x") });
  writeFileSync(join(bench.workspace, "b.txt"), "there");
  expect(await bench.text("read", { path: join(bench.workspace, "b.txt") })).toBe("1\tthere");
});

test("a file of a folder that was opened for reading is read by its absolute path, and nothing beside that folder", async () => {
  const bench = workbench();
  const skills = join(bench.outside, "skills");
  mkdirSync(skills);
  writeFileSync(join(skills, "guide.md"), "be brief\n");
  writeFileSync(join(bench.outside, "private.md"), "not this\n");
  symlinkSync(join(bench.outside, "private.md"), join(skills, "link.md"));
  const [read] = await createBuiltinTools({ readRoots: [skills] }).tools(bench.workspace);
  const result = async (path: string) => (await read?.execute({ path }, bench.context()))?.errorKind ?? "read";
  expect(await result(join(skills, "guide.md"))).toBe("read");
  expect(await result(join(skills, "link.md"))).toBe("permission_denied");
  expect(await result(join(skills, "..", "private.md"))).toBe("permission_denied");
});
