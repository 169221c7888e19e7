/** What a newcomer does first: the demo, the lines that it prints, and a model of one's own script. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCli } from "./cli.ts";

test("the demo repairs its project, and every line that it prints can be run", async () => {
  const cli = createCli();
  const demo = await cli.run("demo");
  expect(demo).toMatchObject({ code: 0, stderr: expect.stringContaining("The tests of the project pass.") });
  const lines = demo.stdout.split("\n").filter((line) => line.startsWith("  dacapo "));
  const codes: (number | null)[] = [];
  for (const line of lines) codes.push((await cli.shell(line)).code);
  // The second run stops for approval, and the last line needs a key.
  expect({ lines: lines.length, codes }).toEqual({ lines: 7, codes: [0, 0, 0, 0, 0, 3, 2] });
});

test("fake-model serves a script, tells what it refuses, and says what is wrong with a bad one", async () => {
  const cli = createCli();
  const script = join(cli.folder, "script.json");
  const reply = { type: "message", content: [{ type: "text", text: "Hi!" }] };
  writeFileSync(script, JSON.stringify({ rules: [{ when: "hello", times: 2, reply }] }));
  const server = cli.start(["fake-model", script]);
  onTestFinished(() => void server.child.kill("SIGKILL"));
  await server.says("/release");
  const line = /dacapo run --model openai-compatible.*/.exec(server.told().stderr)?.[0] ?? "";
  expect(await cli.shell(line.replace("'your prompt'", "hello"))).toMatchObject({ code: 0, stdout: "Hi!\n" });
  expect((await cli.shell(line.replace("'your prompt'", "nothing"))).code).toBe(1);
  await server.says("no rule for what the model saw");
  server.child.kill("SIGINT");
  const { code, stdout } = await server.done;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/) });
  writeFileSync(script, JSON.stringify({ rules: [{ when: "hello", reply: { type: "messages" } }] }));
  expect(await cli.run("fake-model", script)).toMatchObject({ code: 2, stderr: expect.stringContaining("rules[0]") });
});
