import { chmodSync, linkSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "./workbench.ts";

test("a new file is made with the folders above it, and nothing else is left beside it", async () => {
  const bench = workbench();
  expect(await bench.text("write", { path: "a/b/é 😀.txt", content: "hällo\n" })).toBe(
    "Created a/b/é 😀.txt (7 bytes).",
  );
  expect(readFileSync(join(bench.workspace, "a/b/é 😀.txt"), "utf8")).toBe("hällo\n");
  expect(readdirSync(join(bench.workspace, "a/b"))).toEqual(["é 😀.txt"]);
});

test("an existing file is replaced by another one that keeps its mode, and readers of the old one keep the old text", async () => {
  const bench = workbench({ "run.sh": "old" });
  const path = join(bench.workspace, "run.sh");
  chmodSync(path, 0o751);
  linkSync(path, join(bench.outside, "still-open"));
  expect(await bench.text("write", { path: "run.sh", content: "new" })).toBe("Overwrote run.sh (3 bytes).");
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o751);
  expect(readFileSync(join(bench.outside, "still-open"), "utf8")).toBe("old");
});

test("writing through a link inside the workspace changes its target and keeps the link", async () => {
  const bench = workbench({ "real/a.txt": "old" });
  symlinkSync("real/a.txt", join(bench.workspace, "link"));
  expect(await bench.text("write", { path: "link", content: "new" })).toBe("Overwrote link (3 bytes).");
  expect(readlinkSync(join(bench.workspace, "link"))).toBe("real/a.txt");
  expect(readFileSync(join(bench.workspace, "real/a.txt"), "utf8")).toBe("new");
});

test("what cannot be written is told in words and changes nothing", async () => {
  const bench = workbench({ "folder/a.txt": "a", "locked.txt": "keep" });
  chmodSync(join(bench.workspace, "locked.txt"), 0o444);
  expect(await bench.text("write", { path: "folder", content: "x" })).toContain('"folder" is a folder');
  expect(await bench.text("write", { path: ".", content: "x" })).toContain('"." is a folder');
  expect(await bench.text("write", { path: "folder/a.txt/b", content: "x" })).toContain("is not a folder, or a part");
  expect(await bench.text("write", { path: "locked.txt", content: "x" })).toContain(
    'permission_denied: "locked.txt" is write-protected',
  );
  expect(await bench.text("write", { path: "n".repeat(300), content: "x" })).toContain("too long for the file system");
  expect(await bench.text("write", { path: "n/".repeat(3000), content: "x" })).toContain(
    "too long for the file system",
  );
  expect(readFileSync(join(bench.workspace, "locked.txt"), "utf8")).toBe("keep");
  expect(readdirSync(join(bench.workspace, "folder"))).toEqual(["a.txt"]);
  expect(readdirSync(bench.workspace).toSorted()).toEqual(["folder", "locked.txt"]);
});

test("a lone surrogate becomes the replacement character", async () => {
  const bench = workbench();
  await bench.text("write", { path: "a.txt", content: "a\uD800b" });
  expect(readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("a\uFFFDb");
});
