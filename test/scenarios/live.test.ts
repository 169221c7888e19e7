/** The live row: what another process sees of a step while it runs, and that nothing of it is left afterwards. */
import { expect, test } from "vitest";
import { createLiveFeed } from "../../src/live-feed.ts";
import type { CallId, InputId, MessageId } from "../../src/core/ids.ts";
import type { LiveDraft } from "../../src/core/live-draft.ts";
import { story } from "../story.ts";

story(
  "while a reply is held, another process sees its draft; when it is stored, nothing live is left",
  async (agent) => {
    const hold = agent.model.on("tell me").replies(["Once ", "upon ", "a time."]).hold({ after: 2 });
    const running = agent.start("tell me");
    await running.reached(hold);
    await expect
      .poll(() => agent.client(async (sessions) => (await sessions.live(agent.sessionId))?.reply?.text))
      .toBe("Once upon ");
    hold.release();
    await running;
    expect(await agent.client((sessions) => sessions.live(agent.sessionId))).toBeUndefined();
    expect(agent.outcome).toEqual({ status: "completed" });
  },
);

test("a draft that its step did not store is discarded, whether it was text or only calls", () => {
  const told: string[] = [];
  const feed = createLiveFeed({ tell: ({ type }) => void told.push(type), save: () => undefined });
  feed.emit({ type: "call-delta", messageId: "m" as MessageId, tool: "add", text: "{" });
  feed.ended();
  feed.ended();
  expect(told).toEqual(["call-delta", "draft-discarded"]);
});

test("the live row keeps the end of what a call prints, however much that is, and loses the call with its result", async () => {
  const saved: LiveDraft[] = [];
  const feed = createLiveFeed({ tell: () => undefined, save: (draft) => void saved.push(draft) });
  for (let line = 0; line < 5_000; line += 1) {
    feed.emit({ type: "tool-output", callId: "c" as CallId, text: `line ${line}\n` });
  }
  await expect.poll(() => saved.at(-1)?.calls[0]?.tail.endsWith("line 4999\n")).toBe(true);
  expect(saved.at(-1)?.calls[0]?.tail.length).toBe(2_000);
  feed.committed([{ type: "call.settle", id: "c" as CallId, status: "succeeded", messageId: "m" as MessageId }]);
  feed.emit({ type: "tool-output", callId: "d" as CallId, text: "other" });
  await expect.poll(() => saved.at(-1)?.calls.map(({ callId }) => callId)).toEqual(["d"]);
  feed.ended();
});

test("what goes on running is written again after a commit that ends something else, though it prints nothing", async () => {
  const saved: LiveDraft[] = [];
  const feed = createLiveFeed({ tell: () => undefined, save: (draft) => void saved.push(draft) });
  for (const callId of ["c", "d"] as const) feed.emit({ type: "tool-output", callId: callId as CallId, text: callId });
  await expect.poll(() => saved).toHaveLength(1);
  feed.committed([{ type: "call.settle", id: "c" as CallId, status: "succeeded", messageId: "m" as MessageId }]);
  await expect.poll(() => saved.at(-1)).toEqual({ reply: null, calls: [{ callId: "d", tail: "d" }] });
  feed.committed([{ type: "input.consume", id: "i" as InputId }]);
  await expect.poll(() => saved).toHaveLength(3);
  feed.committed([{ type: "call.settle", id: "d" as CallId, status: "succeeded", messageId: "n" as MessageId }]);
  feed.ended();
});
