/** Slash commands: run once for the prompt that names them, and never for anything else. */
import { expect, test } from "vitest";
import { defineOperation, pass } from "../../src/core/operation.ts";
import type { Command } from "../../src/core/operation.ts";
import { command } from "../../src/operations/command.ts";
import { settle } from "../../src/operations/settle.ts";
import { applied, driven, killedEverywhere, message, model, started, transcript } from "./drive.ts";

const echo: Command = {
  name: "echo",
  description: "Say it again",
  run: async (args, { workspace }) => ({ notice: `${args} in ${workspace}` }),
};
const review: Command = {
  name: "review",
  description: "Look at a change",
  run: async (args) => ({ expand: [{ type: "text", text: `Review ${args} with care; hunter2-secret.` }] }),
};
const broken: Command = {
  name: "broken",
  description: "Fail",
  run: () => Promise.reject(new Error("it is broken")),
};
const owner = defineOperation({
  name: "owner",
  reads: [],
  writes: [],
  commands: [echo, review, broken],
  claim: () => pass("it only owns commands"),
  async *run() {},
});
const machine = () => [command(), owner, model(["fine"]), settle()];

test("A command that answers ends the turn with a notice and without the model.", async () => {
  const { session } = await driven(started("/echo a  b \n"), machine());
  expect(session.turn?.outcome).toEqual({ status: "completed" });
  expect(transcript(session)).toEqual(["prompt: /echo a  b \n", "notice: a  b in /project"]);
});

test("A command that expands goes on to the model, once, wherever the process is killed.", async () => {
  const story = (killedAfter: readonly number[]) => driven(started("/review HEAD"), machine(), { killedAfter });
  for (const { session } of [await story([]), ...(await killedEverywhere(story))]) {
    expect(session.turn?.outcome).toEqual({ status: "completed" });
    expect(transcript(session)).toEqual([
      "prompt: /review HEAD",
      "context: Review HEAD with care; [redacted:TEST].",
      "reply: fine",
    ]);
  }
});

test("Help is a command of its own and lists all of them.", async () => {
  const { session } = await driven(started("/help"), machine());
  expect(transcript(session).at(-1)).toBe(
    "notice: /broken: Fail\n/echo: Say it again\n/help: List the commands\n/review: Look at a change",
  );
});

test("A command that throws fails the turn and says what failed.", async () => {
  const { session } = await driven(started("/broken"), machine());
  const words = 'The command "/broken" failed: it is broken';
  expect(session.turn?.outcome).toEqual({ status: "failed", error: { kind: "internal", message: words } });
  expect(transcript(session).at(-1)).toBe(`notice: ${words}`);
});

test.each(["/unknown", "/usr/bin/env is a path", "say /echo", "/", "//echo", "/Echo x"])(
  "%j is plain text for the model.",
  async (prompt) => {
    const { session } = await driven(started(prompt), machine());
    expect(transcript(session)).toEqual([`prompt: ${prompt}`, "reply: fine"]);
  },
);

test("A steer never runs as a command.", async () => {
  const { session } = await driven(applied(started("hello"), [message("steer", "/echo x")]), machine());
  expect(transcript(session)).toEqual(["prompt: hello", "steer: /echo x", "reply: fine"]);
});

test("A steer that came in before the command ran is answered by the model.", async () => {
  const { session } = await driven(applied(started("/echo x"), [message("steer", "and now?")]), machine());
  expect(transcript(session)).toEqual(["prompt: /echo x", "steer: and now?", "notice: x in /project", "reply: fine"]);
});
