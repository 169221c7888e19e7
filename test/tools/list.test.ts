import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "./workbench.ts";

test("one folder is shown: folders, sizes, links, special files, and what .gitignore leaves out is marked", async () => {
  const bench = workbench({
    "src/a.ts": "x",
    "big.txt": "x".repeat(3000),
    "node_modules/a.js": "",
    ".gitignore": "node_modules/\n",
    "two\nlines": "",
  });
  symlinkSync("src/a.ts", join(bench.workspace, "link"));
  execFileSync("mkfifo", [join(bench.workspace, "pipe")]);
  expect(await bench.text("list", {})).toMatchInlineSnapshot(`
    ".gitignore  14 bytes
    big.txt  2.9 KB
    link -> src/a.ts
    node_modules/  (gitignored)
    pipe  (not a regular file)
    src/
    "two\\nlines"  0 bytes"
  `);
  expect(await bench.text("list", { path: "src" })).toBe("a.ts  1 bytes");
  expect(await bench.text("list", { path: "node_modules" })).toBe("a.js  0 bytes");
});

test("an empty folder, a file and a missing folder are told in words, and many entries are bounded", async () => {
  const bench = workbench({
    "src/a.ts": "x",
    ...Object.fromEntries(Array.from({ length: 505 }, (_, at) => [`many/${at}`, ""])),
  });
  mkdirSync(join(bench.workspace, "empty"));
  expect(await bench.text("list", { path: "empty" })).toBe("[empty is an empty folder]");
  expect(await bench.text("list", { path: "src/a.ts" })).toContain("is not a folder. Use read");
  expect(await bench.text("list", { path: "scr" })).toContain('"scr" does not exist.');
  const lines = (await bench.text("list", { path: "many" })).split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([501, "[5 more: use glob with a pattern]"]);
});
