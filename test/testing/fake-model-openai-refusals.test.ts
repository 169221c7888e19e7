/** What OpenAI would refuse is refused. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeModel, type FakeModel } from "../../src/testing/index.ts";
import { post } from "./fake-model-client.ts";

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

const asked = { role: "user", content: "hello" };
const calling = (...calls: { id: string; name?: string; args?: string }[]) => ({
  role: "assistant",
  content: null,
  tool_calls: calls.map(({ id, name = "charge", args = "{}" }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  })),
});
const paid = (id: string) => ({ role: "tool", tool_call_id: id, content: "paid" });
const fn = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const openai = (messages: object[], fields: object = {}) => ({ model: "m", messages, ...fields });

test.each<[string, object, string]>([
  ["without a message", openai([]), "messages"],
  ["with an unknown role", openai([{ role: "robot", content: "hi" }]), "messages.0"],
  ["with an answer of nothing", openai([asked, { role: "assistant", content: null }]), "got null"],
  ["with a result that has no call", openai([asked, paid("a")]), "must be a response to a preceeding message"],
  [
    "with a result for another call",
    openai([asked, calling({ id: "a" }), paid("b")]),
    "must be a response to a preceeding message",
  ],
  [
    "with two results for a call",
    openai([asked, calling({ id: "a" }), paid("a"), paid("a")]),
    "duplicate 'tool' message",
  ],
  [
    "with an open call before the next prompt",
    openai([asked, calling({ id: "a" }, { id: "b" }), paid("b"), asked]),
    "did not have response messages: a",
  ],
  ["with an open call at its end", openai([asked, calling({ id: "a" })]), "did not have response messages: a"],
  [
    "with a call id used twice in a message",
    openai([asked, calling({ id: "a" }, { id: "a" }), paid("a")]),
    "duplicate id 'a'",
  ],
  ["with a long call id", openai([asked, calling({ id: "a".repeat(41) }), paid("a".repeat(41))]), "maximum length 40"],
  ["with arguments that are not JSON", openai([asked, calling({ id: "a", args: "{" }), paid("a")]), "valid JSON"],
  ["with a bad name in a call", openai([asked, calling({ id: "a", name: "a.b" }), paid("a")]), "function.name"],
  ["with a bad function name", openai([asked], { tools: [fn("a.b")] }), "does not match pattern"],
  ["with a function name used twice", openai([asked], { tools: [fn("a"), fn("a")] }), "must be unique"],
])("OpenAI refuses a request %s", async (_, body, reason) => {
  const { status, text: answer } = await post(model, "/v1/chat/completions", body);
  expect({ status, ...JSON.parse(answer) }).toEqual({
    status: 400,
    error: { type: "invalid_request_error", param: null, code: null, message: expect.stringContaining(reason) },
  });
  expect(model.refusals).toHaveLength(1);
});
