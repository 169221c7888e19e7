/** An agent with one behaviour of its own: it may not speak for longer than a number of words, and is told so by a nudge. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claim, createApp, createPipeline, defineOperation, pass, standardPipeline, textOf } from "../src/index.ts";
import type { MessageId, Model, ModelRequest } from "../src/index.ts";

/** Sends an answer that is too long back to the model, once a turn. What it did is in its note, not in a variable. */
const brevity = (words: number) =>
  defineOperation({
    name: "brevity",
    reads: ["turn", "messages", "notes"],
    writes: ["message.append", "note.set"],
    before: ["settle"],
    durability: "on-barrier", // run touches nothing outside the session
    claim({ turn, messages, notes }) {
      if (turn?.phase !== "end" || !turn.lastReply) return pass("the turn is not at its end");
      if (notes["brevity"]?.data === turn.id) return pass("the model was asked once already");
      const used = textOf(messages.get(turn.lastReply.messageId)?.parts ?? []).split(/\s+/).length;
      if (used <= words) return pass(`${used} of ${words} words`);
      return claim({ used, turnId: turn.id }, `the answer has ${used} words, ${words} are allowed`);
    },
    async *run({ used, turnId }, ctx) {
      const id: MessageId = ctx.newId();
      const text = `Your answer has ${used} words. Say it again in at most ${words}.`;
      yield [
        { type: "message.append", message: { id, kind: "nudge", parts: [{ type: "text", text }] } },
        { type: "note.set", operation: "brevity", version: 1, data: turnId },
      ];
    },
    contribute: () => ({ prompt: `Answer in at most ${words} words.` }),
  });

/** A model of this process; a real one is chosen by its name, and `models` left out. */
const chatterbox: Model = {
  id: "example/chatterbox",
  async *stream({ messages }: ModelRequest) {
    const nudged = messages.some(
      ({ role, content }) => role === "user" && JSON.stringify(content).includes("Say it again"),
    );
    const text = nudged
      ? "Seven."
      : "That is a very good question, and the answer to it is, all things considered, seven.";
    yield { type: "text-delta", id: "0", text };
    yield { type: "finish", reason: "stop" };
  },
};

/** What the example's conversation came to. */
export async function main(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "dacapo-example-"));
  const app = await createApp({
    databasePath: join(folder, "sessions.db"),
    environment: process.env,
    home: folder,
    workspace: folder,
    models: () => Promise.resolve(chatterbox),
    pipeline(ports) {
      const operations = [...standardPipeline(ports).operations];
      operations.splice(
        operations.findIndex(({ name }) => name === "settle"),
        0,
        brevity(5),
      );
      return createPipeline(operations);
    },
  });
  try {
    const { session } = await app.sessions.create({
      workspace: folder,
      model: "example/chatterbox",
      mode: "ask",
      limits: { inferences: 10 },
    });
    const parts = [{ type: "text" as const, text: "How many days has a week?" }];
    await app.sessions.send(session.id, { type: "prompt", author: "user", parts });
    const report = await app.sessions.run(session.id);
    assert.equal(report.type, "outcome");
    const { messages } = await app.sessions.open(session.id);
    return [...messages].map(({ kind, parts: said }) => `${kind}: ${textOf(said)}`);
  } finally {
    await app.close();
    await rm(folder, { recursive: true });
  }
}
