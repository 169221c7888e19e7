/** Rules, holds and what the fake model remembers. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startFakeModel, type FakeModel } from "../../src/testing/index.ts";
import { charge, client, hear, post, PROTOCOLS, user } from "./fake-model-client.ts";

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

describe("rules", () => {
  test("rules match on the newest message, in order, each as often as it says", async () => {
    model.on("hello").replies("first");
    model.on(/^HELL/gi).times(2).replies("second and third");
    model
      .on((request) => request.tools.includes("charge"))
      .always()
      .replies("with a tool");
    model.otherwise().replies("anything");
    const answers: string[] = [];
    for (const tools of [undefined, undefined, undefined, undefined, charge, charge]) {
      const { content } = await client(model.url, "openai").doGenerate({
        prompt: [user("hello")],
        ...(tools && { tools }),
      });
      answers.push(...content.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    }
    expect(answers).toEqual([
      "first",
      "second and third",
      "second and third",
      "anything",
      "with a tool",
      "with a tool",
    ]);
    model.assertNothingLeft();
  });

  test("a request that meets no rule is refused with what the model saw, and the assertions say so", async () => {
    model.on("goodbye").replies("see you");
    const [line] = await hear(model, "anthropic");
    expect(line).toMatchInlineSnapshot(
      `"throws AI_APICallError 400 retryable false: fake model: no rule for what the model saw: "hello". Rules: on "goodbye" -> {"type":"message","content":[{"type":"text","text":"see you"}]} [1 left]"`,
    );
    expect(() => model.assertClean()).toThrowErrorMatchingInlineSnapshot(`
      [FakeModelError: The fake model has complaints:
      - no rule for what the model saw: "hello". Rules: on "goodbye" -> {"type":"message","content":[{"type":"text","text":"see you"}]} [1 left]]
    `);
    expect(() => model.assertNothingLeft()).toThrow('left over: on "goodbye"');
  });

  test("a call and its result read the same on both protocols, and the result is what is newest", async () => {
    const prompt: LanguageModelV3Prompt = [
      { role: "system", content: "Be careful." },
      user("charge the card"),
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "charge", input: { eur: 10 } }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "charge", output: { type: "text", value: "paid" } },
        ],
      },
      user("and now?"),
    ];
    model.on("paid\nand now?").times(2).replies("Done.");
    for (const protocol of PROTOCOLS) await hear(model, protocol, { prompt, tools: charge });
    const [first, second] = model.requests.map(({ system, messages, tools, newest }) => ({
      system,
      messages,
      tools,
      newest,
    }));
    expect(first).toEqual(second);
    expect(first).toMatchInlineSnapshot(`
      {
        "messages": [
          {
            "role": "user",
            "text": "charge the card",
            "toolCalls": [],
            "toolResults": [],
          },
          {
            "role": "assistant",
            "text": "",
            "toolCalls": [
              {
                "id": "c1",
                "input": {
                  "eur": 10,
                },
                "name": "charge",
              },
            ],
            "toolResults": [],
          },
          {
            "role": "tool",
            "text": "",
            "toolCalls": [],
            "toolResults": [
              {
                "id": "c1",
                "isError": false,
                "text": "paid",
              },
            ],
          },
          {
            "role": "user",
            "text": "and now?",
            "toolCalls": [],
            "toolResults": [],
          },
        ],
        "newest": "paid
      and now?",
        "system": "Be careful.",
        "tools": [
          "charge",
        ],
      }
    `);
    model.assertNothingLeft();
  });
});

describe("held replies", () => {
  test("the test knows that the model is in the middle of its reply, and lets it finish", async () => {
    for (const protocol of PROTOCOLS) {
      const hold = model.on("hello").replies(["one ", "two"]).hold({ after: 1 });
      const { stream } = await client(model.url, protocol).doStream({ prompt: [user("hello")] });
      const said: string[] = [];
      await hold.reached;
      for await (const part of stream) {
        if (part.type !== "text-delta") continue;
        said.push(part.delta);
        hold.release();
      }
      expect(said).toEqual(["one ", "two"]);
    }
  });

  test("the test knows that the client left while its reply was held", async () => {
    const hold = model.on("hello").replies("late").hold();
    const abort = new AbortController();
    const answer = client(model.url, "anthropic").doStream({ prompt: [user("hello")], abortSignal: abort.signal });
    await hold.reached;
    abort.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    await hold.abandoned;
  });

  test("all held replies can be released at once, also from another process", async () => {
    const hold = model.on("hello").fails({ status: 400, message: "at last" }).hold();
    const answer = hear(model, "openai");
    await hold.reached;
    await post(model, "/release", "");
    expect(await answer).toEqual(["throws AI_APICallError 400 retryable false: at last"]);
  });
});

test("bytes that are not UTF-8 are refused, and an unknown path is named", async () => {
  expect((await post(model, "/messages", new Uint8Array([0x7b, 0xff]))).text).toContain("not valid JSON");
  expect(await post(model, "/v1/responses", {})).toMatchObject({
    status: 404,
    text: expect.stringContaining("POST /v1/responses is not served"),
  });
});
