/** Every way in which a request to OpenAI's Responses API can go wrong, on a mocked network. */
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ask, failureOf, model } from "./ask.ts";
import { eventStream, openai } from "./wire.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test.each<[what: string, kind: string, answer: () => Response]>([
  [
    "a stream that just stops",
    "model_unavailable",
    () => eventStream(openai.created, openai.messageStart, openai.text("half")),
  ],
  ["a stream that stops before it says anything", "model_invalid_output", () => eventStream(openai.created)],
  ["a web page", "model_invalid_output", () => HttpResponse.html("<html>hello</html>")],
  [
    "an event that is not JSON",
    "model_invalid_output",
    () => eventStream(openai.created, "data: {oh\n\n", openai.completed()),
  ],
  [
    "a failure before the first word",
    "model_unavailable",
    () => eventStream(openai.created, openai.failed("server_error", "oops")),
  ],
  [
    "a failure in mid-reply",
    "model_unavailable",
    () =>
      eventStream(
        openai.created,
        openai.messageStart,
        openai.text("x"),
        openai.failed("server_error", "oops"),
        openai.completed(),
      ),
  ],
  [
    "an overload in the stream",
    "model_overloaded",
    () => eventStream(openai.created, openai.failed("server_is_overloaded", "busy")),
  ],
  [
    "a rate limit in the stream",
    "model_rate_limited",
    () => eventStream(openai.created, openai.failed("rate_limit_exceeded", "slow")),
  ],
  [
    "an overflow in the stream",
    "context_overflow",
    () => eventStream(openai.created, openai.failed("context_length_exceeded", "too long")),
  ],
  [
    "an overflow",
    "context_overflow",
    () =>
      HttpResponse.json(
        { error: { message: "Your input exceeds …", code: "context_length_exceeded", type: "invalid_request_error" } },
        { status: 400 },
      ),
  ],
  [
    "a bad key",
    "model_auth",
    () =>
      HttpResponse.json(
        { error: { message: "Incorrect API key", code: "invalid_api_key", type: "invalid_request_error" } },
        { status: 401 },
      ),
  ],
  [
    "a used-up quota",
    "model_auth",
    () =>
      HttpResponse.json(
        { error: { message: "quota", code: "insufficient_quota", type: "insufficient_quota" } },
        { status: 429 },
      ),
  ],
  [
    "a rate limit",
    "model_rate_limited",
    () =>
      HttpResponse.json({ error: { message: "slow", code: "rate_limit_exceeded", type: "tokens" } }, { status: 429 }),
  ],
  [
    "an unknown model",
    "model_invalid_request",
    () =>
      HttpResponse.json(
        { error: { message: "no such model", code: "model_not_found", type: "invalid_request_error" } },
        { status: 404 },
      ),
  ],
  [
    "a bad request",
    "model_invalid_request",
    () => HttpResponse.json({ error: { message: "bad", type: "invalid_request_error" } }, { status: 400 }),
  ],
  ["an empty 500", "model_unavailable", () => new HttpResponse(null, { status: 500 })],
  ["a network that fails", "model_unavailable", () => HttpResponse.error()],
])("%s is %s", async (_what, kind, answer) => {
  server.use(http.post("https://api.openai.com/v1/responses", answer));
  expect(failureOf(await ask(await model("openai/gpt-5"))).kind).toBe(kind);
});
