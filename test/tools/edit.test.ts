import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locate } from "../../src/tools/workspace-path.ts";
import { replaceFile } from "../../src/tools/replace-file.ts";
import { workbench } from "./workbench.ts";

const CODE = "function a() {\n  return 1;\n}\n\nfunction b() {\n  return 2;\n}\n";

test("a text that stands once is replaced, and the result shows the change as a diff", async () => {
  const bench = workbench({ "a.ts": CODE });
  expect(
    await bench.text("edit", {
      path: "a.ts",
      oldText: "function b() {\n  return 2;",
      newText: "function b() {\n  return 3;\n  // new",
    }),
  ).toMatchInlineSnapshot(`
      "Edited a.ts: 1 replacement.
      @@ -3,5 +3,6 @@
       }
       
       function b() {
      -  return 2;
      +  return 3;
      +  // new
       }"
    `);
  expect(readFileSync(join(bench.workspace, "a.ts"), "utf8")).toBe(CODE.replace("return 2;", "return 3;\n  // new"));
});

test("the excerpt is a patch that the patch command can apply", async () => {
  const { execFileSync } = await import("node:child_process");
  const cases: [string, string, string][] = [
    ["one\ntwo\nthree\nfour\nfive\nsix\n", "one", "1"],
    ["one\ntwo\nthree\nfour\nfive\nsix\n", "six\n", "6\n7\n"],
    ["one\ntwo\nthree\nfour\nfive\nsix\n", "three\nfour\n", ""],
    ["one\ntwo\nthree\nfour\n", "three\nfour\n", ""],
    ["one\ntwo\n", "two", "two\nthree\n"],
    ["\n\none\ntwo\n", "\none", "\nzero\none"],
    [CODE, "1;\n}\n\nfunction b", "1;\n}\n\n\nfunction c"],
  ];
  for (const [before, oldText, newText] of cases) {
    const bench = workbench({ "a.txt": before, "copy.txt": before });
    const text = await bench.text("edit", { path: "a.txt", oldText, newText });
    const diff = `--- copy.txt\n+++ copy.txt\n${text.slice(text.indexOf("@@"))}\n`;
    execFileSync("git", ["apply", "--unidiff-zero", "-"], {
      cwd: bench.workspace,
      input: diff,
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, GIT_CEILING_DIRECTORIES: bench.outside },
    });
    expect(readFileSync(join(bench.workspace, "copy.txt"), "utf8")).toBe(before.replace(oldText, newText));
  }
});

test("line endings and the byte order mark stay as they are, whatever the model sends", async () => {
  const bench = workbench({
    "crlf.txt": "\uFEFFone\r\ntwo\r\nthree\r\n",
    "lf.txt": "one\ntwo\n",
    "mixed.txt": "a\r\nb\nc\r\nd\n",
  });
  const content = (name: string) => readFileSync(join(bench.workspace, name), "utf8");
  await bench.text("edit", { path: "crlf.txt", oldText: "one\ntwo", newText: "1\n2\n2b" });
  expect(content("crlf.txt")).toBe("\uFEFF1\r\n2\r\n2b\r\nthree\r\n");
  await bench.text("edit", { path: "crlf.txt", oldText: "three", newText: "3\n4" });
  expect(content("crlf.txt")).toBe("\uFEFF1\r\n2\r\n2b\r\n3\r\n4\r\n");
  await bench.text("edit", { path: "lf.txt", oldText: "one\r\ntwo", newText: "1\r\n2" });
  expect(content("lf.txt")).toBe("1\n2\n");
  await bench.text("edit", { path: "mixed.txt", oldText: "c\nd", newText: "C\nD" });
  expect(content("mixed.txt")).toBe("a\r\nb\nC\r\nD\n");
  await bench.text("edit", { path: "mixed.txt", oldText: "a\nb", newText: "A\nB" });
  expect(content("mixed.txt")).toBe("A\r\nB\nC\r\nD\n");
});

test("an ambiguous text names its lines, and replaceAll takes them all", async () => {
  const bench = workbench({ "a.txt": "x = 1\ny\nx = 1\nx = 1\n" });
  const args = { path: "a.txt", oldText: "x = 1", newText: "x = 2" };
  expect(await bench.text("edit", args)).toContain(
    'oldText stands 3 times in "a.txt", at lines 1, 3, 4; nothing was changed',
  );
  const all = await bench.text("edit", { ...args, replaceAll: true });
  expect(all).toContain("Edited a.txt: 3 replacements.");
  expect(readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("x = 2\ny\nx = 2\nx = 2\n");
});

test("a dollar sign in the new text is nothing special", async () => {
  const bench = workbench({ "a.txt": "price" });
  await bench.text("edit", { path: "a.txt", oldText: "price", newText: "$& $1 $$" });
  expect(readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("$& $1 $$");
});

test("a text that is not there is answered with the reason and the nearest lines", async () => {
  const bench = workbench({ "a.ts": CODE });
  const edit = (oldText: string) => bench.text("edit", { path: "a.ts", oldText, newText: "new" });
  expect(await edit("function b() {\n\treturn 2;")).toContain(
    "The text at line 5 differs from it only in white space:\n5\tfunction b() {\n6\t  return 2;",
  );
  expect(await edit("Function B()")).toContain("differs from it only in upper and lower case:\n5\tfunction b() {");
  expect(await edit("5\tfunction b() {\n6\t  return 2;")).toContain("those are added by read");
  expect(await edit("  return 22;\n}")).toContain("The nearest to its first line is line 6:\n6\t  return 2;\n7\t}");
  expect(await edit("something else entirely")).toContain("Nothing like its first line is in the file");
  expect(readFileSync(join(bench.workspace, "a.ts"), "utf8")).toBe(CODE);
});

test("edits that mean nothing or would damage the file are refused", async () => {
  const bench = workbench({ "a.txt": "text", bin: Buffer.from([0xff, 0xfe, 0x00, 0xd8]), empty: "" });
  const edit = (path: string, oldText: string, newText: string) => bench.text("edit", { path, oldText, newText });
  expect(await edit("a.txt", "", "x")).toContain("oldText is empty");
  expect(await edit("a.txt", "text", "text")).toContain("are the same");
  expect(await edit("bin", "a", "b")).toContain("is not UTF-8 text");
  expect(await edit("empty", "a", "b")).toContain("is empty. Use write");
  expect(await edit("b.txt", "a", "b")).toBe(
    'tool_failed: "b.txt" does not exist. Did you mean "a.txt"? To make a new file use write.',
  );
  expect(await edit("nowhere/deep/b.txt", "a", "b")).toContain("does not exist");
  expect(readFileSync(join(bench.workspace, "bin"))).toEqual(Buffer.from([0xff, 0xfe, 0x00, 0xd8]));
});

test("a file that someone changed since it was read is left alone", async () => {
  const bench = workbench({ "a.txt": "old" });
  const path = join(bench.workspace, "a.txt");
  const read = statSync(path);
  writeFileSync(path, "changed by a person");
  await expect(replaceFile(await locate(bench.workspace, "a.txt"), Buffer.from("edited"), read)).rejects.toThrow(
    "was changed by someone else",
  );
  expect(readFileSync(path, "utf8")).toBe("changed by a person");
});
