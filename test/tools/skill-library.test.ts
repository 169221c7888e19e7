/** Skills from real folders: what is found, what is refused, and that nothing leads out. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SkillLibrary } from "../../src/operations/skills.ts";
import { createSkillLibrary } from "../../src/tools/skill-library.ts";

let root: string;
let workspace: string;
let library: SkillLibrary;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skills-"));
  workspace = join(root, "workspace");
  await mkdir(workspace);
  library = createSkillLibrary({ folders: [join(root, "home/.agents/skills"), join(root, "home/.claude/skills")] });
});

afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;

test("Folders that are missing hold no skills and are no problem.", async () => {
  expect(await library.list(workspace)).toEqual([]);
  expect(await library.problems(workspace)).toEqual([]);
  expect(await library.load(workspace, "tidy")).toBeUndefined();
});

test("The workspace's skills come before the person's of the same name, and all are in order.", async () => {
  await put("home/.agents/skills/tidy/SKILL.md", skill("tidy", "mine"));
  await put("home/.claude/skills/zip/SKILL.md", skill("zip", "zips"));
  await put("workspace/.claude/skills/tidy/SKILL.md", skill("tidy", "third"));
  await put("workspace/.dacapo/skills/tidy/SKILL.md", skill("tidy", "first"));
  await put("workspace/.agents/skills/ask/SKILL.md", skill("ask", "asks"));
  expect((await library.list(workspace)).map(({ name, description }) => `${name}: ${description}`)).toEqual([
    "ask: asks",
    "tidy: first",
    "zip: zips",
  ]);
  expect(await library.problems(workspace)).toEqual([]);
});

test("A skill is loaded without its front matter and with the names of its other files.", async () => {
  await put(
    "workspace/.agents/skills/tidy/SKILL.md",
    "\uFEFF---\r\nname: tidy\r\ndescription: >\r\n  Tidies\r\n  up.\r\nlicense: MIT\r\nmetadata:\r\n  version: '1'\r\n---\r\n# Tidy\r\n\r\n---\r\nMore.\r\n",
  );
  await put("workspace/.agents/skills/tidy/scripts/run.sh", "exit");
  await put("workspace/.agents/skills/tidy/a.md", "a");
  const folder = join(workspace, ".agents/skills/tidy");
  expect(await library.list(workspace)).toEqual([{ name: "tidy", description: "Tidies up.", folder }]);
  expect(await library.load(workspace, "tidy")).toEqual({
    text: "# Tidy\r\n\r\n---\r\nMore.",
    folder,
    files: ["a.md", "scripts/run.sh"],
  });
});

test.each([
  ["no front matter", "# Tidy", "does not begin with front matter"],
  ["empty front matter", "---\n---\nText", "has no fields"],
  ["front matter that is not YAML", "---\nname: tidy\ndescription: Use when: asked\n---\n", "not YAML"],
  ["an upper-case name", skill("Tidy", "x"), "lowercase letters"],
  ["a name with two hyphens in a row", skill("ti--dy", "x"), "lowercase letters"],
  ["a name of 65 letters", skill("t".repeat(65), "x"), "longer than 64"],
  ["the name of another folder", skill("other", "x"), 'not that of its folder "tidy"'],
  ["no description", "---\nname: tidy\n---\n", "description is missing"],
  ["an empty description", skill("tidy", '" "'), "description is empty"],
  ["a description of 1025 characters", skill("tidy", "x".repeat(1025)), "longer than 1024"],
  ["a file that is too large", skill("tidy", "x") + "y".repeat(64 * 1024), "larger than 64 KB"],
  ["code in its front matter", "---js\nprocess.exit(1)\n---\n", "does not begin with front matter"],
])("A SKILL.md with %s is skipped, named as a problem, and hides no other.", async (_what, text, problem) => {
  await put("workspace/.dacapo/skills/tidy/SKILL.md", text);
  await put("home/.agents/skills/tidy/SKILL.md", skill("tidy", "good"));
  expect(await library.list(workspace)).toMatchObject([{ name: "tidy", description: "good" }]);
  const [said, ...others] = await library.problems(workspace);
  expect(others).toEqual([]);
  expect(said).toContain(join(workspace, ".dacapo/skills/tidy"));
  expect(said).toContain(problem);
});

test("A description of 1024 characters outside the basic plane is allowed, and what is stored is well-formed.", async () => {
  await put("workspace/.dacapo/skills/tidy/SKILL.md", skill("tidy", "🧹".repeat(1024)));
  await put("workspace/.dacapo/skills/lone/SKILL.md", skill("lone", '"\\uD800!"'));
  expect((await library.list(workspace)).map(({ name }) => name)).toEqual(["lone", "tidy"]);
  expect((await library.list(workspace))[0]?.description).toBe("\uFFFD!");
});

test("Links out of the workspace are not followed, whatever part of the path is the link.", async () => {
  await put("elsewhere/tidy/SKILL.md", skill("tidy", "stolen"));
  await put("workspace/.claude/skills/tidy/notes.md", "");
  await mkdir(join(workspace, ".dacapo"));
  await mkdir(join(workspace, ".agents/skills"), { recursive: true });
  await symlink(join(root, "elsewhere"), join(workspace, ".dacapo/skills"));
  await symlink(join(root, "elsewhere/tidy"), join(workspace, ".agents/skills/tidy"));
  await symlink(join(root, "elsewhere/tidy/SKILL.md"), join(workspace, ".claude/skills/tidy/SKILL.md"));
  expect(await library.list(workspace)).toEqual([]);
  const problems = await library.problems(workspace);
  expect(problems).toHaveLength(3);
  for (const problem of problems) expect(problem).toContain("leads out through a symbolic link");
});

test("Links within the workspace, and between the person's folders, are followed.", async () => {
  await put("workspace/docs/skills/tidy/SKILL.md", skill("tidy", "linked"));
  await put("home/.agents/skills/zip/SKILL.md", skill("zip", "zips"));
  await mkdir(join(workspace, ".claude"));
  await mkdir(join(root, "home/.claude/skills"), { recursive: true });
  await symlink("../docs/skills", join(workspace, ".claude/skills"));
  await symlink("../../.agents/skills/zip", join(root, "home/.claude/skills/zip"));
  expect((await library.list(workspace)).map(({ name }) => name)).toEqual(["tidy", "zip"]);
  expect(await library.problems(workspace)).toEqual([]);
});

test("A skill's links are not among its files.", async () => {
  await put("workspace/.dacapo/skills/tidy/SKILL.md", skill("tidy", "x"));
  await symlink("/etc", join(workspace, ".dacapo/skills/tidy/etc"));
  expect((await library.load(workspace, "tidy"))?.files).toEqual([]);
});

test("A library for a workspace that is not trusted reads only the person's folders.", async () => {
  await put("workspace/.dacapo/skills/tidy/SKILL.md", skill("tidy", "x"));
  const careful = createSkillLibrary({ folders: [], workspaceFolders: [] });
  expect(await careful.list(workspace)).toEqual([]);
});
