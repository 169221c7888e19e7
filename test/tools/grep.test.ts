import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { workbench } from "./workbench.ts";

test("matching lines come with path and number, in the order of the paths", async () => {
  const bench = workbench({
    "b.ts": "one\ntwo foo\r\n",
    "a/x y:1.ts": "foo: 1\n",
    "c.txt": "nothing",
    ".github/ci.yml": "foo\n",
  });
  expect(await bench.text("grep", { pattern: "foo" })).toBe(
    ".github/ci.yml:1: foo\na/x y:1.ts:1: foo: 1\nb.ts:2: two foo",
  );
  expect(await bench.text("grep", { pattern: "foo$" })).toBe(".github/ci.yml:1: foo\nb.ts:2: two foo");
  expect(await bench.text("grep", { pattern: "(?i)FOO", path: "a" })).toBe("a/x y:1.ts:1: foo: 1");
  expect(await bench.text("grep", { pattern: "^t", path: "b.ts" })).toBe("b.ts:2: two foo");
  expect(await bench.text("grep", { pattern: "foo", glob: "*.ts" })).toBe("a/x y:1.ts:1: foo: 1\nb.ts:2: two foo");
});

test("nothing found is said and is no error", async () => {
  const bench = workbench({ "a.ts": "x" });
  expect(await bench.text("grep", { pattern: "foo" })).toBe("[no matches for foo in .]");
  expect(await bench.text("grep", { pattern: "x", glob: "*.md" })).toBe("[no matches for x in . (*.md)]");
  expect(await bench.text("grep", { pattern: "-x", path: "a.ts" })).toBe("[no matches for -x in a.ts]");
});

test("what .gitignore leaves out is not searched, in a repository or not, also with a glob, unless the path names it", async () => {
  const files = {
    ".gitignore": "dist/\n*.log\n",
    "dist/a.ts": "foo",
    "a.log": "foo",
    "sub/.gitignore": "gen.ts",
    "sub/gen.ts": "foo",
    "a.ts": "foo",
  };
  for (const repository of [false, true]) {
    const bench = workbench(files);
    if (repository) execFileSync("git", ["init", "-q"], { cwd: bench.workspace });
    expect(await bench.text("grep", { pattern: "foo" })).toBe("a.ts:1: foo");
    expect(await bench.text("grep", { pattern: "foo", glob: "*.{ts,log}" })).toBe("a.ts:1: foo");
    expect(await bench.text("grep", { pattern: "foo", path: "dist" })).toBe("dist/a.ts:1: foo");
    expect(await bench.text("grep", { pattern: "foo", path: "dist", glob: "*.ts" })).toBe("dist/a.ts:1: foo");
    expect(await bench.text("grep", { pattern: "foo", path: "a.log" })).toBe("a.log:1: foo");
    expect(await bench.text("grep", { pattern: "bare" })).toBe("[no matches for bare in .]");
  }
});

test("a workspace inside a repository minds the .gitignore above it, and one outside does not", async () => {
  const bench = workbench({ "repo/.gitignore": "dist/", "repo/app/dist/a.ts": "foo", "repo/app/a.ts": "foo" });
  const workspace = join(bench.workspace, "repo/app");
  const calls = (name: string, args: { pattern: string }) => bench.text(name, args, { workspace });
  expect(await calls("grep", { pattern: "foo" })).toBe("a.ts:1: foo\ndist/a.ts:1: foo");
  expect(await calls("glob", { pattern: "**/*.ts" })).toBe("a.ts\ndist/a.ts");
  execFileSync("git", ["init", "-q"], { cwd: join(bench.workspace, "repo") });
  expect(await calls("grep", { pattern: "foo" })).toBe("a.ts:1: foo");
  expect(await calls("glob", { pattern: "**/*.ts" })).toBe("a.ts");
});

test("many and long matches are bounded and say so", async () => {
  const bench = workbench({ "a.txt": "foo\n".repeat(150), "wide.js": `${"x".repeat(100_000)}foo\n` });
  const text = await bench.text("grep", { pattern: "foo" });
  expect(text.split("\n")).toHaveLength(101);
  expect(text).toContain(
    "a.txt:100: foo\n[more matches follow these 100: narrow pattern, path or glob, or raise limit]",
  );
  expect((await bench.text("grep", { pattern: "foo", limit: 150, path: "a.txt" })).split("\n")).toHaveLength(150);
  expect((await bench.text("grep", { pattern: "foo", path: "wide.js" })).length).toBeLessThan(600);
});

test("a pattern, a glob or a path that is wrong is told in words", async () => {
  const bench = workbench({ "a.txt": "x" });
  execFileSync("mkfifo", [join(bench.workspace, "pipe")]);
  expect(await bench.text("grep", { pattern: "(foo" })).toContain(
    "The pattern cannot be used: regex parse error:\n    (?:(foo)",
  );
  const lookAhead = await bench.text("grep", { pattern: "a(?=b)" });
  expect(lookAhead).toContain("look-around, including look-ahead and look-behind, is not supported");
  expect(lookAhead).not.toContain("--pcre2");
  expect(await bench.text("grep", { pattern: "x", glob: "[" })).toContain("unclosed character class");
  expect(await bench.text("grep", { pattern: "x", path: "b.txt" })).toContain('Did you mean "a.txt"?');
  expect(await bench.text("grep", { pattern: "x", path: "pipe" })).toContain("neither a file nor a folder");
  expect(await bench.text("grep", { pattern: "a\0b" })).toContain("tool_failed: ");
});

test("binary files and links that lead elsewhere are not searched, and other encodings are shown as they can be", async () => {
  const bench = workbench({
    "a.bin": "foo\0foo",
    "latin1.txt": Buffer.from([0x66, 0x6f, 0x6f, 0xe9, 0x0a]),
    "utf16.txt": Buffer.from("\uFEFFfoo é\n", "utf16le"),
  });
  symlinkSync("/etc", join(bench.workspace, "link"));
  expect(await bench.text("grep", { pattern: "foo|root:" })).toBe("latin1.txt:1: foo\uFFFD\nutf16.txt:1: foo é");
});

test("a cancel ends a search", async () => {
  const bench = workbench({ "a.txt": "x\n".repeat(1000) });
  const call = bench.text("grep", { pattern: "x" });
  bench.abort.abort();
  expect(await call).toBe("tool_failed: [cancelled before it was done]");
});

test("without ripgrep the answer says what to use", async () => {
  const bench = workbench();
  const host = createBuiltinTools({ ripgrepPath: "/no/such/rg" });
  const grep = (await host.tools(bench.workspace)).find(({ spec }) => spec.name === "grep");
  const context = { workspace: bench.workspace, signal: bench.abort.signal } as never;
  expect(await grep?.execute({ pattern: "x" }, context)).toMatchObject({
    errorKind: "tool_unavailable",
    content: [{ text: expect.stringContaining("Search with bash") }],
  });
});

test("matches in files whose names have line breaks are found, each on one line", async () => {
  const bench = workbench({
    "\nfirst": "foo 1\n",
    "a\nb\nc": "foo 2\nfoo 3\n",
    "binary\nfile": "foo\0",
    "d\n/x": "foo 4\n",
    plain: "foo 5\n",
  });
  const lines = (await bench.text("grep", { pattern: "foo" })).split("\n");
  expect(lines.toSorted()).toEqual(
    [
      '"\\nfirst":1: foo 1',
      '"a\\nb\\nc":1: foo 2',
      '"a\\nb\\nc":2: foo 3',
      '"d\\n/x":1: foo 4',
      "plain:1: foo 5",
    ].toSorted(),
  );
});
