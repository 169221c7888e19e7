/** Every way in which a request can go wrong, over HTTP on the fake model server. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startFakeModel, type FakeModel } from "../../src/testing/index.ts";
import { ask, failureOf, finishOf, model, request, user } from "./ask.ts";

let fake: FakeModel;
beforeEach(async () => {
  fake = await startFakeModel();
});
afterEach(() => fake.close());

const PROVIDERS = ["anthropic/claude-opus-4-5", "openai-compatible/some/model"] as const;

const open = (id: string) => model(id, { baseUrl: id.startsWith("anthropic") ? fake.url : `${fake.url}/v1` });

describe.each(PROVIDERS)("%s", (id) => {
  test("a reply that is cut, ends early or says nothing at all is a failure and never a finish", async () => {
    fake.on("cut").replies("half a sentence", { fault: { type: "cut", after: 1 } });
    fake.on("early").replies("half a sentence", { fault: { type: "early-end", after: 1 } });
    fake.on("page").answers({ type: "html" });
    const asked = await open(id);
    const outcomes = [];
    for (const prompt of ["cut", "early", "page"])
      outcomes.push(failureOf(await ask(asked, request([user(prompt)]))).kind);
    expect(outcomes).toEqual(["model_unavailable", "model_unavailable", "model_invalid_output"]);
  });

  test("a reply of no content whose provider says that it ended is a finish: what that means is not for the model to say", async () => {
    fake.on("nothing").says([]);
    expect(finishOf(await ask(await open(id), request([user("nothing")]))).reason).toBe("stop");
  });

  test("an event that is not JSON is invalid output, first or later", async () => {
    fake.on("first").replies("x", { fault: { type: "bad-json", after: 0 } });
    fake.on("later").replies("half a sentence", { fault: { type: "bad-json", after: 1 } });
    const asked = await open(id);
    for (const prompt of ["first", "later"]) {
      expect(failureOf(await ask(asked, request([user(prompt)]))).kind).toBe("model_invalid_output");
    }
  });

  test("an overload that is reported inside the stream is an overload, before the first word and after it", async () => {
    fake.on("first").replies("x", { fault: { type: "error-event", after: 0, errorType: "overloaded_error" } });
    fake
      .on("later")
      .replies("half a sentence", { fault: { type: "error-event", after: 2, errorType: "overloaded_error" } });
    const asked = await open(id);
    for (const prompt of ["first", "later"]) {
      expect(failureOf(await ask(asked, request([user(prompt)]))).kind).toBe("model_overloaded");
    }
  });

  test("a connection that is reset, before a byte or in mid-reply, is an outage", async () => {
    fake.on("reset").answers({ type: "reset" });
    const failure = failureOf(await ask(await open(id), request([user("reset")])));
    expect(failure.kind).toBe("model_unavailable");
    expect(failure.message).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
  });

  test("a server that is not there is an outage that names its address", async () => {
    await fake.close();
    const failure = failureOf(await ask(await open(id)));
    expect(failure).toMatchObject({ kind: "model_unavailable" });
    expect(failure.message).toContain(`could not be reached at ${new URL(fake.url).host} (ECONNREFUSED`);
  });

  test.each([
    [400, "model_invalid_request"],
    [401, "model_auth"],
    [402, "model_auth"],
    [403, "model_auth"],
    [404, "model_invalid_request"],
    [422, "model_invalid_request"],
    [429, "model_rate_limited"],
    [500, "model_unavailable"],
    [502, "model_unavailable"],
    [503, "model_overloaded"],
    [504, "model_unavailable"],
    [529, "model_overloaded"],
  ] as const)("status %i is %s, in the provider's own words", async (status, kind) => {
    fake.on("hello").fails({ status, message: "because I say so" });
    const failure = failureOf(await ask(await open(id)));
    expect(failure).toEqual({ kind, status, message: `${id.split("/")[0]} answered ${status}: because I say so` });
  });

  test("an error without a word gets some", async () => {
    fake.on("hello").fails({ status: 500, body: "" });
    expect(failureOf(await ask(await open(id))).message).toBe(
      `${id.split("/")[0]} answered 500: Internal Server Error`,
    );
  });

  test("a web page as an error is not quoted, a plain text is", async () => {
    fake.on("page").fails({ status: 502, body: "<html><body>nginx</body></html>" });
    fake.on("plain").fails({ status: 502, body: "upstream is away" });
    const asked = await open(id);
    expect(failureOf(await ask(asked, request([user("page")]))).message).toMatch(/answered 502: Bad Gateway$/);
    expect(failureOf(await ask(asked, request([user("plain")]))).message).toMatch(/answered 502: upstream is away$/);
  });

  test("the wait that the provider asks for is told in milliseconds, whatever its form", async () => {
    fake.on("seconds").fails({ status: 429, retryAfterSeconds: 7 });
    fake.on("date").fails({ status: 503, retryAfterDate: "Mon, 30 Nov 2026 12:00:30 GMT" });
    fake.on("past").fails({ status: 503, retryAfterDate: "Mon, 30 Nov 2026 11:00:00 GMT" });
    fake.on("fine").fails({ status: 429, headers: { "retry-after-ms": "1500", "retry-after": "2" } });
    fake.on("odd").fails({ status: 429, headers: { "retry-after": "soon" } });
    const asked = await open(id);
    const waits = [];
    for (const prompt of ["seconds", "date", "past", "fine", "odd"]) {
      waits.push(failureOf(await ask(asked, request([user(prompt)]))).retryAfterMs);
    }
    expect(waits).toEqual([7000, 30_000, 0, 1500, undefined]);
  });

  test("a prompt that is too long is an overflow; a text that only sounds like one is not", async () => {
    fake.on("long").answers({ type: "context-too-long" });
    fake.on("quote").replies("prompt is too long: 9 tokens > 8 maximum, context_length_exceeded");
    fake.on("busy").fails({ status: 529, message: "prompt is too long for a busy day" });
    const asked = await open(id);
    expect(failureOf(await ask(asked, request([user("long")]))).kind).toBe("context_overflow");
    expect(finishOf(await ask(asked, request([user("quote")]))).reason).toBe("stop");
    expect(failureOf(await ask(asked, request([user("busy")]))).kind).toBe("model_overloaded");
  });

  test("a key in the provider's words does not reach the failure", async () => {
    fake.on("hello").fails({ status: 401, message: "bad key secret-4711, sorry" });
    const asked = await model(id, {
      baseUrl: `${fake.url}/v1`,
      environment: { ANTHROPIC_API_KEY: "secret-4711", OPENAI_COMPATIBLE_API_KEY: "secret-4711" },
    });
    expect(failureOf(await ask(asked)).message).toContain("bad key [redacted], sorry");
  });
});
