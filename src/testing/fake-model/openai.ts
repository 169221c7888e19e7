/** OpenAI chat completions on the wire: replies as chunks or as one body, errors in OpenAI's shape. */
import { OpenaiRequest, openaiRefusal, readOpenaiRequest } from "./openai-request.ts";
import type { CallContent, Content, MessageReply, Stop } from "./reply.ts";
import {
  argumentDeltas,
  deltasOf,
  fullUsage,
  joined,
  shapeComplaint,
  type Counter,
  type ModelReply,
  type ReadRequest,
  type Wire,
  type WireError,
  type WireEvent,
} from "./wire.ts";

const FINISH_REASONS: Record<Stop, string> = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  refusal: "content_filter",
  pause: "stop",
  "context-window": "length",
};

const ERRORS: Record<number, { type: string; code: string | null }> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export function createOpenaiWire(counter: Counter): Wire {
  return {
    protocol: "openai",
    read(body) {
      const parsed = OpenaiRequest.safeParse(body);
      if (!parsed.success) return { refusal: shapeComplaint(parsed.error) };
      const refusal = openaiRefusal(parsed.data);
      return { request: readOpenaiRequest(parsed.data), ...(refusal === undefined ? {} : { refusal }) };
    },
    stream: (reply, request) => streamEvents(reply, request, counter),
    whole: (reply, request) => wholeBody(reply, request, counter),
    error: openaiError,
    errorEvent: (fault) =>
      event({
        error: errorFields(fault.message ?? "The server is overloaded", fault.errorType ?? "server_error", null),
      }),
    brokenEvent: () => ({ text: 'data: {"id":"chatcmpl-broken","choi\n\n', delta: false }),
    tooLong: (tokens, limit) => {
      const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
      return openaiError(400, message, "context_length_exceeded");
    },
  };
}

function openaiError(status: number, message = "The fake model fails as its script says", code?: string): WireError {
  const known = ERRORS[status] ?? { type: status < 500 ? "invalid_request_error" : "server_error", code: null };
  return { status, body: { error: errorFields(message, known.type, code ?? known.code) } };
}

function errorFields(message: string, type: string, code: string | null) {
  return { message, type, param: null, code };
}

function streamEvents(reply: ModelReply, request: ReadRequest, counter: Counter): WireEvent[] {
  const head = { ...envelope(request, counter), object: "chat.completion.chunk" };
  const chunk = (delta: object, finish: string | null = null, counted = false) =>
    event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] }, counted);
  const done = { text: "data: [DONE]\n\n", delta: false };
  if (reply.type === "no-choices") return [event({ ...head, choices: [] }), done];
  const usage = asksForUsage(request) ? usageFields(reply) : {};
  return [
    chunk({ role: "assistant", content: "" }),
    ...contentDeltas(reply, counter).map(({ delta, counted }) => chunk(delta, null, counted)),
    chunk({}, finishReason(reply)),
    ...("usage" in usage ? [event({ ...head, choices: [], ...usage })] : []),
    done,
  ];
}

function wholeBody(reply: ModelReply, request: ReadRequest, counter: Counter): object {
  const head = { ...envelope(request, counter), object: "chat.completion" };
  if (reply.type === "no-choices") return { ...head, choices: [] };
  const said = (type: "text" | "reasoning") =>
    reply.content.flatMap((content) => (content.type === type ? [joined(content.text)] : [])).join("");
  const calls = reply.content.flatMap((content) => (content.type === "call" ? [wholeCall(content, counter)] : []));
  const message = {
    role: "assistant",
    content: said("text") || null,
    ...(said("reasoning") === "" ? {} : { reasoning_content: said("reasoning") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return { ...head, choices: [{ index: 0, message, finish_reason: finishReason(reply) }], ...usageFields(reply) };
}

/** `created` is a fixed date: bodies hold no clock. */
function envelope(request: ReadRequest, counter: Counter) {
  return { id: counter.next("chatcmpl-"), created: 1_700_000_000, model: request.model };
}

function finishReason(reply: MessageReply): string {
  return FINISH_REASONS[reply.stop ?? (reply.content.some((content) => content.type === "call") ? "calls" : "end")];
}

interface ContentDelta {
  readonly delta: object;
  readonly counted: boolean;
}

function contentDeltas(reply: MessageReply, counter: Counter): ContentDelta[] {
  const calls = reply.content.filter((content) => content.type === "call");
  return reply.content.flatMap((content: Content): ContentDelta[] => {
    switch (content.type) {
      case "text":
        return deltasOf(content.text).map((said) => ({ delta: { content: said }, counted: true }));
      case "reasoning":
        return content.redacted === true
          ? []
          : deltasOf(content.text).map((thought) => ({ delta: { reasoning_content: thought }, counted: true }));
      case "call":
        return callDeltas(content, calls.indexOf(content), counter);
      case "web-search":
        return [];
      default:
        return content satisfies never;
    }
  });
}

function callDeltas(call: CallContent, index: number, counter: Counter): ContentDelta[] {
  const { id, type, function: called } = wholeCall(call, counter);
  const opening = { tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] };
  return [
    { delta: opening, counted: false },
    ...argumentDeltas(call).map((text) => ({
      delta: { tool_calls: [{ index, function: { arguments: text } }] },
      counted: true,
    })),
  ];
}

function wholeCall(call: CallContent, counter: Counter) {
  const id = call.id ?? counter.next("call_");
  return { id, type: "function", function: { name: call.name, arguments: argumentDeltas(call).join("") } };
}

function asksForUsage(request: ReadRequest): boolean {
  return OpenaiRequest.pick({ stream_options: true }).parse(request.body).stream_options?.include_usage === true;
}

/** OpenAI counts cached tokens among the prompt's, and has no word for cache writes. */
function usageFields(reply: MessageReply): { usage?: object } {
  const usage = fullUsage(reply.usage);
  if (usage === null) return {};
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: usage.output,
      total_tokens: prompt + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  };
}

function event(data: object, delta = false): WireEvent {
  return { text: `data: ${JSON.stringify(data)}\n\n`, delta };
}
