/** Answers of OpenAI's Responses API and of Google's, as they are on the wire, for the mocked network of these tests. */
import { HttpResponse } from "msw";

/** An event stream; a string goes out as it is. */
export function eventStream(...events: readonly unknown[]): Response {
  const lines = events.map((event) => (typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`));
  return new HttpResponse(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** An event stream that begins with these events and then stays open; it breaks when the request is aborted. */
export function openStream(request: Request, ...events: readonly unknown[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // msw 2 sends the body to its end whatever happens to the request.
      request.signal.addEventListener("abort", () => controller.error(new DOMException("aborted", "AbortError")));
      for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    },
  });
  return new HttpResponse(body, { headers: { "content-type": "text/event-stream" } });
}

const response = { id: "resp_1", created_at: 1_790_000_000, model: "gpt-5" };
const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };

export const openai = {
  created: { type: "response.created", response },
  text: (delta: string) => ({
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 1,
    content_index: 0,
    delta,
  }),
  messageStart: { type: "response.output_item.added", output_index: 1, item: message },
  messageEnd: { type: "response.output_item.done", output_index: 1, item: { ...message, status: "completed" } },
  completed: (
    usage: object | null = { input_tokens: 1000, input_tokens_details: { cached_tokens: 900 }, output_tokens: 100 },
  ) => ({
    type: "response.completed",
    response: { ...response, incomplete_details: null, usage },
  }),
  incomplete: (reason: string) => ({
    type: "response.incomplete",
    response: { ...response, incomplete_details: { reason }, usage: { input_tokens: 10, output_tokens: 5 } },
  }),
  failed: (code: string, words: string) => ({
    type: "response.failed",
    sequence_number: 1,
    response: { ...response, error: { code, message: words }, incomplete_details: null, usage: null },
  }),
  /** Two summaries of one reasoning item; only the end has what makes it acceptable again. */
  reasoning: [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", id: "rs_1", encrypted_content: "early" },
    },
    { type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 0 },
    { type: "response.reasoning_summary_text.delta", item_id: "rs_1", summary_index: 0, delta: "first thought" },
    { type: "response.reasoning_summary_part.done", item_id: "rs_1", summary_index: 0 },
    { type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 1 },
    { type: "response.reasoning_summary_text.delta", item_id: "rs_1", summary_index: 1, delta: "second thought" },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "reasoning", id: "rs_1", encrypted_content: "sealed" },
    },
  ],
  call: (name: string, args: string) => {
    const item = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_theirs",
      name,
      arguments: args,
      status: "completed",
    };
    return [
      { type: "response.output_item.added", output_index: 2, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: args },
      { type: "response.output_item.done", output_index: 2, item },
    ];
  },
};

export const google = {
  parts: (...parts: readonly object[]) => ({ candidates: [{ content: { role: "model", parts } }] }),
  end: (finishReason: string, ...parts: readonly object[]) => ({
    candidates: [{ content: { role: "model", parts }, finishReason }],
    usageMetadata: {
      promptTokenCount: 1000,
      cachedContentTokenCount: 900,
      candidatesTokenCount: 60,
      thoughtsTokenCount: 40,
    },
  }),
  error: (code: number, status: string, words: string) => ({
    error: { code, status, message: words },
  }),
};
