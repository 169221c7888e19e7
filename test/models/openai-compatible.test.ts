/** What is particular to servers that speak chat-completions. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { reasoning, text, startFakeModel, type FakeModel } from "../../src/testing/index.ts";
import { asMessage, ask, failureOf, finishOf, model, request, user } from "./ask.ts";

let fake: FakeModel;
beforeEach(async () => {
  fake = await startFakeModel();
});
afterEach(() => fake.close());

const open = (name: string) => model(name, { baseUrl: `${fake.url}/v1` });

const id = "openai-compatible/some/model";

test("the name may contain slashes, no key is sent if there is none, and usage is asked for", async () => {
  fake.otherwise().replies("ok");
  const parts = await ask(await open(id));
  expect(fake.requests[0]).toMatchObject({ model: "some/model", body: { stream_options: { include_usage: true } } });
  expect(fake.requests[0]?.headers["authorization"]).toBeUndefined();
  expect(finishOf(parts).usage?.cost).toBeNull();
});

test("reasoning goes back to the same server only", async () => {
  fake.on("think").says([reasoning("step by step"), text("so")]);
  fake.otherwise().replies("ok");
  const prompt = user("think");
  const reply = asMessage(await ask(await open(id), request([prompt])));
  await ask(await open(id), request([prompt, reply, user("more")]));
  expect(fake.requests[1]?.rawBody).toContain('"reasoning_content":"step by step"');
  const elsewhere = await model(id, { baseUrl: fake.url.replace("127.0.0.1", "localhost") });
  await ask(elsewhere, request([prompt, reply, user("more")]));
  expect(fake.requests[2]?.rawBody).not.toContain("step by step");
});

test("a quota that is used up is not worth a retry", async () => {
  fake.on("hello").fails({ status: 429, code: "insufficient_quota", message: "You exceeded your current quota" });
  expect(failureOf(await ask(await open(id))).kind).toBe("model_auth");
});

test("a chunk without choices is no reply", async () => {
  fake.on("hello").answers({ type: "no-choices" });
  expect(failureOf(await ask(await open(id))).kind).toBe("model_invalid_output");
});
