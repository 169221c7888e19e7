import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../src/core/error.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { combineHosts } from "../../src/tools/combine-hosts.ts";
import { replaceFile } from "../../src/tools/replace-file.ts";
import { locate } from "../../src/tools/workspace-path.ts";
import { workbench, type Workbench } from "./workbench.ts";

function withOutside(): Workbench {
  const bench = workbench({ "in/a.txt": "inside" });
  mkdirSync(join(bench.outside, "other"));
  writeFileSync(join(bench.outside, "other/secret.txt"), "secret");
  writeFileSync(join(bench.outside, "workspace-2"), "a name that only begins like the workspace");
  return bench;
}

const everyFileTool: readonly [string, (path: string) => JsonObject][] = [
  ["read", (path) => ({ path })],
  ["write", (path) => ({ path, content: "changed" })],
  ["edit", (path) => ({ path, oldText: "secret", newText: "changed" })],
  ["grep", (path) => ({ path, pattern: "secret" })],
  ["glob", (path) => ({ path, pattern: "*" })],
  ["list", (path) => ({ path })],
];

test.each(everyFileTool)("%s reaches nothing outside, by no kind of path", async (name, args) => {
  const bench = withOutside();
  symlinkSync("../other/secret.txt", join(bench.workspace, "file-link"));
  symlinkSync(join(bench.outside, "other"), join(bench.workspace, "folder-link"));
  symlinkSync("folder-link", join(bench.workspace, "link-to-link"));
  symlinkSync("../other/new.txt", join(bench.workspace, "dangling"));
  symlinkSync("../../other", join(bench.workspace, "in/up"));
  const before = readdirSync(join(bench.outside, "other"));
  const ways = [
    "..",
    "../other/secret.txt",
    "in/../../other/secret.txt",
    "/etc/passwd",
    "/",
    join(bench.outside, "other/secret.txt"),
    "../workspace-2",
    "file-link",
    "folder-link",
    "folder-link/secret.txt",
    "folder-link/new/file.txt",
    "link-to-link/secret.txt",
    "dangling",
    "in/up/secret.txt",
  ];
  for (const path of ways) {
    const text = await bench.text(name, args(path));
    expect(text).toContain(`permission_denied: "${path}"`);
    expect(text).toContain("give a path relative to the workspace folder");
  }
  expect(readFileSync(join(bench.outside, "other/secret.txt"), "utf8")).toBe("secret");
  expect(readdirSync(join(bench.outside, "other"))).toEqual(before);
});

test.each(everyFileTool)("%s answers in words to paths that no file can have", async (name, args) => {
  const bench = workbench();
  symlinkSync("loop-b", join(bench.workspace, "loop-a"));
  symlinkSync("loop-a", join(bench.workspace, "loop-b"));
  expect(await bench.text(name, args("a\0b"))).toContain("NUL character");
  expect(await bench.text(name, args("x".repeat(300)))).toContain("too long for the file system");
  expect(await bench.text(name, args("loop-a"))).toContain("too many symbolic links");
});

test("links and absolute paths that stay inside are followed, also where the workspace itself is reached by a link", async () => {
  const bench = withOutside();
  symlinkSync("workspace", join(bench.outside, "alias"));
  symlinkSync("in", join(bench.workspace, "link"));
  symlinkSync("in/made.txt", join(bench.workspace, "to-be"));
  const alias = join(bench.outside, "alias");
  const paths = [
    "link/a.txt",
    join(alias, "in/a.txt"),
    join(realpathSync(bench.workspace), "link/a.txt"),
    "in/./../in/a.txt",
  ];
  for (const path of paths) expect(await bench.text("read", { path }, { workspace: alias })).toBe("1\tinside");
  expect(await bench.text("write", { path: "to-be", content: "new" })).toBe("Created to-be (3 bytes).");
  expect(readFileSync(join(bench.workspace, "in/made.txt"), "utf8")).toBe("new");
  const hosts = createBuiltinTools();
  const read = (await hosts.tools(alias))[0];
  expect(read?.check({ path: join(realpathSync(bench.workspace), "in/a.txt") })).toMatchObject({ subject: "in/a.txt" });
});

test("the internals of git are not written, by any of their names", async () => {
  const bench = workbench({ ".git/config": "[core]", "sub/.git/hooks/x": "", ".gitignore": "a" });
  symlinkSync(".git", join(bench.workspace, "innocent"));
  for (const path of [
    ".git/config",
    ".git",
    "sub/.git/hooks/pre-commit",
    "innocent/config",
    ".GIT/config",
    "new/.git/config",
  ]) {
    expect(await bench.text("write", { path, content: "x" })).toContain("permission_denied: ");
  }
  expect(await bench.text("edit", { path: ".git/config", oldText: "core", newText: "x" })).toContain(
    "permission_denied: ",
  );
  expect(readFileSync(join(bench.workspace, ".git/config"), "utf8")).toBe("[core]");
  expect(existsSync(join(bench.workspace, "new"))).toBe(false);
  expect(await bench.text("write", { path: ".gitignore", content: "b" })).toContain("Overwrote");
});

test("a link that is put in the way after the path was checked is not followed", async () => {
  const bench = withOutside();
  const folder = await locate(bench.workspace, "in/new.txt");
  renameSync(join(bench.workspace, "in"), join(bench.workspace, "away"));
  symlinkSync(join(bench.outside, "other"), join(bench.workspace, "in"));
  await expect(replaceFile(folder, Buffer.from("x"))).rejects.toThrow(/ENOTDIR|ELOOP/);
  expect(readdirSync(join(bench.outside, "other"))).toEqual(["secret.txt"]);

  const file = await locate(bench.workspace, "away/a.txt");
  rmSync(join(bench.workspace, "away/a.txt"));
  symlinkSync(join(bench.outside, "other/secret.txt"), join(bench.workspace, "away/a.txt"));
  await expect(replaceFile(file, Buffer.from("x"))).rejects.toThrow("is a symbolic link");
  expect(readFileSync(join(bench.outside, "other/secret.txt"), "utf8")).toBe("secret");
  expect(readlinkSync(join(bench.workspace, "away/a.txt"))).toBe(join(bench.outside, "other/secret.txt"));
});

test("while someone swaps a folder for a link all the time, no write lands outside", async () => {
  const bench = withOutside();
  const folder = join(bench.workspace, "in");
  let isDone = false;
  const swapping = (async () => {
    while (!isDone) {
      rmSync(folder, { recursive: true, force: true });
      unlessThere(() => symlinkSync(join(bench.outside, "other"), folder));
      await new Promise(setImmediate);
      rmSync(folder, { recursive: true, force: true });
      unlessThere(() => mkdirSync(folder));
      await new Promise(setImmediate);
    }
  })();
  for (let at = 0; at < 100; at += 1) await bench.call("write", { path: "in/target.txt", content: "x" });
  isDone = true;
  await swapping;
  expect(readdirSync(join(bench.outside, "other"))).toEqual(["secret.txt"]);
});

/** The write that runs meanwhile makes the folder too. */
function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    expect(error).toMatchObject({ code: "EEXIST" });
  }
}

test("hosts are combined in their order, and two tools of one name are refused by naming both", async () => {
  const builtins = createBuiltinTools();
  const tools = await builtins.tools("/tmp");
  const other = { ...tools[0]!, server: "files" };
  const renamed = { ...other, spec: { ...other.spec, name: "files__read" } };
  const combined = await combineHosts(builtins, { tools: async () => [renamed] }).tools("/tmp");
  expect(combined.map(({ spec }) => spec.name)).toEqual([
    "read",
    "write",
    "edit",
    "bash",
    "grep",
    "glob",
    "list",
    "files__read",
  ]);
  const clash = combineHosts(builtins, { tools: async () => [other] }).tools("/tmp");
  await expect(clash).rejects.toThrow(UsageError);
  await expect(clash).rejects.toThrow(
    'Two tools are called "read": a tool of this program and one of the server "files".',
  );
});
