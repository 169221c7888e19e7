import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "./workbench.ts";

test("files are found by pattern at any depth, sorted, with paths that read takes", async () => {
  const bench = workbench({
    "b.ts": "",
    "a.ts": "",
    "src/x.ts": "",
    "src/deep/y.test.ts": "",
    "src/z.md": "",
    ".env": "",
  });
  expect(await bench.text("glob", { pattern: "**/*.ts" })).toBe("a.ts\nb.ts\nsrc/deep/y.test.ts\nsrc/x.ts");
  expect(await bench.text("glob", { pattern: "*" })).toBe(".env\na.ts\nb.ts");
  expect(await bench.text("glob", { pattern: "**/*.{md,test.ts}" })).toBe("src/deep/y.test.ts\nsrc/z.md");
  expect(await bench.text("glob", { pattern: "*.ts", path: "src" })).toBe("src/x.ts");
  expect(await bench.text("glob", { pattern: join(bench.workspace, "src/*.ts") })).toBe("src/x.ts");
});

test("nothing found is said and is no error; a missing folder is one", async () => {
  const bench = workbench({ "src/a.ts": "" });
  expect(await bench.text("glob", { pattern: "*.rs" })).toBe("[no files match *.rs in .]");
  expect(await bench.text("glob", { pattern: "*.rs", path: "srcs" })).toContain('Did you mean "src"?');
  expect(await bench.text("glob", { pattern: "*.rs", path: "src/a.ts" })).toContain("is not a folder");
});

test("what .gitignore leaves out and .git are not found, and left-out folders are not even entered, unless the path names them", async () => {
  const bench = workbench({
    ".gitignore": "node_modules/\n*.log\n!keep.log\n/build\n",
    "node_modules/a/index.js": "",
    "a.log": "",
    "keep.log": "",
    "build/x.js": "",
    "src/build/y.js": "",
    "src/.gitignore": "z.js\n",
    "src/z.js": "",
    "z.js": "",
    ".git/config": "",
  });
  expect(await bench.text("glob", { pattern: "**/*.{js,log}" })).toBe("keep.log\nsrc/build/y.js\nz.js");
  expect(await bench.text("glob", { pattern: "**", path: "node_modules" })).toBe("node_modules/a/index.js");
  expect(await bench.text("glob", { pattern: "**/config" })).toBe("[no files match **/config in .]");
});

test("many files are bounded and say so", async () => {
  const bench = workbench(
    Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`f${String(at).padStart(3, "0")}`, ""])),
  );
  const lines = (await bench.text("glob", { pattern: "*" })).split("\n");
  expect([lines.length, lines[0], lines[499], lines[500]]).toEqual([
    501,
    "f000",
    "f499",
    "[100 more: narrow the pattern or give a path]",
  ]);
});

test("no pattern leads out of the workspace: not by climbing, not by a root, not through a link", async () => {
  const bench = workbench({ "a.txt": "" });
  mkdirSync(join(bench.outside, "other"));
  writeFileSync(join(bench.outside, "other/secret.txt"), "");
  symlinkSync("../other", join(bench.workspace, "link"));
  for (const pattern of [
    "../other/*",
    "a/../../other/*",
    "{..,a}/other/*",
    "@(..|a)/other/*",
    "\\../other/*",
    "/etc/*",
    join(bench.outside, "other/*"),
  ]) {
    expect(await bench.text("glob", { pattern })).toContain("permission_denied: ");
  }
  expect(await bench.text("glob", { pattern: "[.][.]/other/*" })).toContain("[no files match");
  expect(await bench.text("glob", { pattern: "link/*" })).toBe("[no files match link/* in .]");
  expect(await bench.text("glob", { pattern: "**/secret.txt" })).toContain("[no files match");
  expect(await bench.text("glob", { pattern: "a...txt" })).toContain("[no files match");
});

test("names with line breaks are found like any other, each on one line", async () => {
  const bench = workbench({ "\nfirst": "", "a\nb": "", "d\n/\r.ts": "", "last\u2028": "", plain: "" });
  const all = ['"\\nfirst"', '"a\\nb"', '"d\\n/\\r.ts"', '"last\\u2028"', "plain"];
  expect((await bench.text("glob", { pattern: "**/*" })).split("\n").toSorted()).toEqual(all.toSorted());
  expect((await bench.text("glob", { pattern: "**" })).split("\n").toSorted()).toEqual(all.toSorted());
  expect(await bench.text("glob", { pattern: "a\nb" })).toBe('"a\\nb"');
  expect(await bench.text("glob", { pattern: "**/*.ts" })).toBe('"d\\n/\\r.ts"');
  expect(await bench.text("glob", { pattern: "*.ts", path: "d\n" })).toBe('"d\\n/\\r.ts"');
});
