/** Two sessions in one process share nothing: workspace, mode, model, limits, cost, and what runs. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/ids.ts";
import type { Sessions } from "../../src/sessions.ts";
import { call, transcript } from "../../src/testing/index.ts";
import { createPlace } from "./processes.ts";
import type { Place } from "./processes.ts";

interface Apart {
  readonly name: string;
  readonly model: string;
  readonly mode: "auto" | "ask";
  readonly inferences: number;
}

async function createApart(
  place: Place,
  sessions: Sessions,
  { name, model, mode, inferences }: Apart,
): Promise<SessionId> {
  const workspace = join(place.world.workspace, name);
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, "who.txt"), `${name}\n`);
  const { session } = await sessions.create({ workspace, model, mode, limits: { inferences } });
  return session.id;
}

const say = (sessions: Sessions, id: SessionId, text: string) =>
  sessions.send(id, { type: "prompt", author: "user", parts: [{ type: "text", text }] });

test("two sessions that run interleaved in one process each keep their own workspace, mode, model, limit and cost", async () => {
  const place = await createPlace();
  const { model } = place.world;
  const holds = ["red", "blue"].map((name) =>
    model
      .on(`I am ${name}`)
      .says([call("read", { path: "who.txt" })], { usage: { input: 100, output: 10 } })
      .hold(),
  );
  model.on("\tred").calls("write", { path: "mine.txt", content: "red" });
  model.on("\tblue").calls("write", { path: "mine.txt", content: "blue" });
  model
    .on("mine.txt")
    .always()
    .replies("Written.", { usage: { input: 7, output: 3 } });
  await place.process(async ({ app: { sessions } }) => {
    const red = await createApart(place, sessions, {
      name: "red",
      model: "anthropic/claude-haiku-4-5",
      mode: "auto",
      inferences: 2,
    });
    const blue = await createApart(place, sessions, {
      name: "blue",
      model: "openai-compatible/story-model",
      mode: "ask",
      inferences: 3,
    });
    const heard: string[] = [];
    for (const [name, id] of Object.entries({ red, blue })) {
      await sessions.subscribe(id, { event: (event) => void ("text" in event && heard.push(`${name} ${event.text}`)) });
      await say(sessions, id, `I am ${name}`);
    }
    const running = [sessions.run(red), sessions.run(blue)];
    await Promise.all(holds.map((hold) => hold.reached));
    // Both are in the middle of their first request; the one that asked last goes on first.
    for (const hold of holds.toReversed()) hold.release();
    const outcomes = (await Promise.all(running)).map((report) =>
      report.type === "outcome" ? report.outcome : report,
    );
    expect(outcomes).toEqual([
      { status: "budget", budget: "inferences", used: 2, limit: 2 },
      { status: "awaiting_approval" },
    ]);
    const told = async (id: SessionId) => transcript(await sessions.open(id));
    expect(await told(red)).toMatchInlineSnapshot(`
      "user      I am red
      assistant → read {"path":"who.txt"}
      result    read ok: 1	red
      assistant → write {"content":"red","path":"mine.txt"}
      result    write ok: Created mine.txt (3 bytes).
      notice    (user only) Stopped at the limit of model calls: 2 of 2 were used. Raise the limit and continue to go on.
      outcome   budget inferences 2 of 2"
    `);
    expect(await told(blue)).toMatchInlineSnapshot(`
      "user      I am blue
      assistant → read {"path":"who.txt"}
      result    read ok: 1	blue
      assistant → write {"content":"blue","path":"mine.txt"}
      asks      write {"content":"blue","path":"mine.txt"} (mode ask asks before tools that edit the workspace)
      outcome   awaiting_approval"
    `);
    expect(await readFile(join(place.world.workspace, "red", "mine.txt"), "utf8")).toBe("red");
    await expect(readFile(join(place.world.workspace, "blue", "mine.txt"))).rejects.toThrow("ENOENT");

    const usages = await Promise.all([red, blue].map(async (id) => (await sessions.open(id)).usage));
    expect(usages.map((usage) => Object.keys(usage))).toEqual([
      ["anthropic/claude-haiku-4-5"],
      ["openai-compatible/story-model"],
    ]);
    for (const { messages } of model.requests) expect(messages.filter(({ text }) => /I am/.test(text))).toHaveLength(1);
  });
});

test("a cancel and a mode of one session leave the other alone", async () => {
  const place = await createPlace();
  const { model } = place.world;
  const holds = ["red", "blue"].map((name) =>
    model
      .on(`I am ${name}`)
      .replies([`Hello, `, `${name}.`])
      .hold({ after: 1 }),
  );
  await place.process(async ({ app: { sessions } }) => {
    const about = { model: "anthropic/claude-haiku-4-5", mode: "auto", inferences: 9 } as const;
    const red = await createApart(place, sessions, { name: "red", ...about });
    const blue = await createApart(place, sessions, { name: "blue", ...about });
    await say(sessions, red, "I am red");
    await say(sessions, blue, "I am blue");
    const running = [sessions.run(red), sessions.run(blue)];
    await Promise.all(holds.map((hold) => hold.reached));
    await sessions.send(red, { type: "configure", author: "user", set: { mode: "plan", title: "Red" } });
    await sessions.send(red, { type: "cancel", author: "user" });
    const [cancelled] = await Promise.all([running[0], holds[0]?.abandoned]);
    for (const hold of holds) hold.release();
    const completed = await running[1];
    expect([cancelled, completed]).toMatchObject([
      { outcome: { status: "cancelled" } },
      { outcome: { status: "completed" }, text: "Hello, blue." },
    ]);
    const modes = await Promise.all([red, blue].map(async (id) => (await sessions.open(id)).session.mode));
    expect(modes).toEqual(["plan", "auto"]);
  });
});
