/** Settings of a session that two commands change: what waits to be taken in, and what a flag says. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFake } from "./fake.ts";
import { jsonLines, lastLine } from "./cli.ts";

test("a flag wins over a setting that waits, also when it says what the session has now", async () => {
  const { model, cli } = await startFake();
  model.on("hello").replies("Hello!");
  model.on("write").calls("write", { path: "unasked.txt", content: "" });
  await cli.run("run", "--mode", "ask", "--max-turns", "5", "--title", "mine", "hello");
  await cli.run("send", "latest", "--set", "mode=auto", "max-turns=1", "title=theirs");
  const flags = ["--mode", "ask", "--max-turns", "5", "--title", "mine"];
  const parked = await cli.run("run", "-s", "latest", "write", "--output", "json", ...flags);
  expect([parked.code, lastLine(parked)["outcome"]]).toEqual([3, { status: "awaiting_approval" }]);
  expect(existsSync(join(cli.workspace, "unasked.txt"))).toBe(false);
  const shown = JSON.parse((await cli.run("sessions", "show", "latest", "--json")).stdout) as { session: object };
  expect(shown.session).toMatchObject({ mode: "ask", limits: { inferences: 5 }, title: "mine" });
});

test("a flag that changes nothing is not said", async () => {
  const { model, cli } = await startFake();
  model.otherwise().replies("Hello!");
  await cli.run("run", "--mode", "ask", "hello");
  const again = await cli.run("run", "-s", "latest", "--mode", "ask", "--output", "stream-json", "again");
  const inputs = jsonLines(again).flatMap(({ input }) => (input === undefined ? [] : [input]));
  expect(inputs).toMatchObject([{ type: "prompt" }]);
});

test("a model that is none is refused where it is set, and one that cannot be asked yields to the flag", async () => {
  const { model, cli } = await startFake();
  model.otherwise().replies("Hello!");
  await cli.run("run", "hello");
  const before = (await cli.run("sessions", "export", "latest")).stdout;
  for (const none of ["nope/x", "nope", "anthropic/", "openai"]) {
    const refused = await cli.run("send", "latest", "--set", `model=${none}`);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`"${none}"`) });
  }
  const nope = await cli.run("send", "latest", "--set", "model=nope/x");
  expect(nope.stderr).toContain("the providers are anthropic");
  expect(nope.stderr).toContain("send ID --set model=PROVIDER/NAME");
  expect((await cli.run("sessions", "export", "latest")).stdout).toBe(before);
  expect((await cli.run("send", "latest", "--set", "model=anthropic/no-key")).code).toBe(0);
  expect(await cli.run("run", "-s", "latest", "go")).toMatchObject({ code: 2, stderr: expect.stringContaining("key") });
  expect(await cli.run("step", "latest")).toMatchObject({ code: 2, stderr: expect.stringContaining("key") });
  const flagged = await cli.run("run", "-s", "latest", "--model", "openai-compatible/fake", "go");
  expect(flagged).toMatchObject({ code: 0, stdout: "Hello!\n" });
});
