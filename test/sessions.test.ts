/** The sessions service as a frontend meets it: what goes in is clean, and a listener is never more than a listener. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../src/app.ts";
import type { App, AppOptions } from "../src/app.ts";
import { openSqliteStore } from "../src/store/sqlite/index.ts";

async function openApp(options: Partial<AppOptions> = {}): Promise<App> {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-sessions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const databasePath = join(folder, "sessions.db");
  const app = await createApp({ databasePath, environment: {}, home: folder, workspace: folder, ...options });
  onTestFinished(() => app.close());
  return app;
}

const given = { workspace: "/project", model: "demo/echo", mode: "ask", limits: { inferences: 9 } } as const;

test("what a session is created with goes through the same door as what is sent to it", async () => {
  const { sessions } = await openApp({ environment: { SOME_API_KEY: "sk-1234567890abcdef" } });
  const { session } = await sessions.create({
    ...given,
    workspace: "/project\uD800",
    model: "demo/sk-1234567890abcdef",
    title: "half \uDE00 with sk-1234567890abcdef",
  });
  expect(session).toMatchObject({
    workspace: "/project\uFFFD",
    model: "demo/[redacted:SOME_API_KEY]",
    title: "half \uFFFD with [redacted:SOME_API_KEY]",
  });
  expect(await sessions.verify(session.id)).toEqual([]);
});

test("a subscription that fails leaves no listener behind", async () => {
  let broken = true;
  const { sessions } = await openApp({
    async openStore(options) {
      const store = await openSqliteStore(options);
      const read: typeof store.live.read = (id) =>
        broken ? Promise.reject(new Error("the disk is gone")) : store.live.read(id);
      return { ...store, live: { ...store.live, read } };
    },
  });
  const { session } = await sessions.create(given);
  const told: string[] = [];
  const listener = (name: string) => ({
    entry: () => void told.push(`${name} entry`),
    report: () => void told.push(`${name} report`),
  });
  await expect(sessions.subscribe(session.id, listener("failed"))).rejects.toThrow("the disk is gone");
  broken = false;
  const subscription = await sessions.subscribe(session.id, listener("second"));
  await sessions.send(session.id, { type: "configure", author: "me", set: { title: "new" } });
  subscription.stop();
  await sessions.run(session.id);
  expect(told).toEqual(["second entry"]);
});

test("a listener that throws changes nothing about a run, and its error is uncaught", async () => {
  const uncaught: (() => void)[] = [];
  const later = vi.spyOn(globalThis, "queueMicrotask").mockImplementation((rethrow) => void uncaught.push(rethrow));
  onTestFinished(() => later.mockRestore());
  const { sessions } = await openApp();
  const { session } = await sessions.create(given);
  const fail = (): never => {
    throw new Error("the screen is gone");
  };
  const told: string[] = [];
  await sessions.subscribe(session.id, { entry: fail, event: fail, report: fail });
  await sessions.subscribe(session.id, { report: ({ outcome }) => void told.push(outcome.status) });
  await sessions.send(session.id, { type: "prompt", author: "me", parts: [{ type: "text", text: "hello" }] });
  const report = await sessions.run(session.id);
  expect(report).toMatchObject({ type: "outcome", outcome: { status: "completed" } });
  expect(told).toEqual(["completed"]);
  expect(uncaught.length).toBeGreaterThan(1);
  expect(uncaught[0]).toThrow("the screen is gone");
});
