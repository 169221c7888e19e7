/** Anthropic Messages on the wire: replies as events or as one body, errors in Anthropic's shape. */
import { anthropicRefusal, type Issued } from "./anthropic-refusals.ts";
import { AnthropicRequest, readAnthropicRequest } from "./anthropic-request.ts";
import type { Content, MessageReply, Stop } from "./reply.ts";
import {
  argumentDeltas,
  deltasOf,
  fullUsage,
  joined,
  parsedOrText,
  shapeComplaint,
  type Counter,
  type ModelReply,
  type ReadRequest,
  type Wire,
  type WireError,
  type WireEvent,
} from "./wire.ts";

const STOP_REASONS: Record<Stop, string> = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
  "context-window": "model_context_window_exceeded",
};

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function createAnthropicWire(counter: Counter): Wire {
  const issued: Issued = { signatures: new Map(), redacted: new Set(), bareCalls: new Set() };
  return {
    protocol: "anthropic",
    read(body) {
      const parsed = AnthropicRequest.safeParse(body);
      if (!parsed.success) return { refusal: shapeComplaint(parsed.error) };
      const refusal = anthropicRefusal(parsed.data, issued);
      return { request: readAnthropicRequest(parsed.data), ...(refusal === undefined ? {} : { refusal }) };
    },
    stream: (reply, request) => {
      const blocks = sentBlocks(asMessage(reply), counter, issued);
      const { head, end } = envelope(asMessage(reply), request, counter);
      return [
        event({ type: "message_start", message: { ...head, content: [], stop_reason: null, stop_sequence: null } }),
        event({ type: "ping" }),
        ...blocks.flatMap(blockEvents),
        event({
          type: "message_delta",
          delta: { stop_reason: end.stop_reason, stop_sequence: null },
          usage: end.usage,
        }),
        event({ type: "message_stop" }),
      ];
    },
    whole: (reply, request) => {
      const content = sentBlocks(asMessage(reply), counter, issued).map((sent) => sent.whole);
      const { head, end } = envelope(asMessage(reply), request, counter);
      return {
        ...head,
        content,
        stop_sequence: null,
        stop_reason: end.stop_reason,
        usage: { ...head.usage, ...end.usage },
      };
    },
    error: anthropicError,
    errorEvent: (fault) =>
      event({
        type: "error",
        error: { type: fault.errorType ?? "overloaded_error", message: fault.message ?? "Overloaded" },
      }),
    brokenEvent: () => ({
      text: 'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n',
      delta: false,
    }),
    tooLong: (tokens, limit) => anthropicError(400, `prompt is too long: ${tokens} tokens > ${limit} maximum`),
  };
}

/** Anthropic has no choices to leave out: the nearest thing is a message that says nothing. */
function asMessage(reply: ModelReply): MessageReply {
  return reply.type === "message" ? reply : { type: "message", content: [] };
}

function anthropicError(status: number, message = "The fake model fails as its script says", code?: string): WireError {
  return { status, body: { type: "error", error: { type: code ?? ERROR_TYPES[status] ?? "api_error", message } } };
}

function envelope(reply: MessageReply, request: ReadRequest, counter: Counter) {
  const usage = fullUsage(reply.usage);
  const stop = reply.stop ?? (reply.content.some((content) => content.type === "call") ? "calls" : "end");
  const thinking =
    usage !== null && usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {};
  const input = {
    input_tokens: usage?.input ?? 0,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
  };
  return {
    head: {
      id: counter.next("msg_"),
      type: "message",
      role: "assistant",
      model: request.model,
      usage: { ...input, output_tokens: 0 },
    },
    end: { stop_reason: STOP_REASONS[stop], usage: { output_tokens: usage?.output ?? 0, ...thinking } },
  };
}

/** A block as it starts, the deltas that fill it, and as it is when full. */
interface SentBlock {
  readonly start: { readonly type: string; readonly id?: string; readonly [field: string]: unknown };
  readonly deltas: readonly object[];
  readonly whole: object;
}

function sentBlocks(reply: MessageReply, counter: Counter, issued: Issued): SentBlock[] {
  const blocks = reply.content.flatMap((content) => sentBlock(content, counter, issued));
  if (reply.content[0]?.type !== "reasoning") {
    for (const { start } of blocks)
      if (start.type === "tool_use" && start.id !== undefined) issued.bareCalls.add(start.id);
  }
  return blocks;
}

function sentBlock(content: Content, counter: Counter, issued: Issued): SentBlock[] {
  switch (content.type) {
    case "text": {
      const deltas = deltasOf(content.text).map((text) => ({ type: "text_delta", text }));
      return [{ start: { type: "text", text: "" }, deltas, whole: { type: "text", text: joined(content.text) } }];
    }
    case "reasoning":
      return [
        content.redacted === true ? redactedBlock(counter, issued) : thinkingBlock(content.text, counter, issued),
      ];
    case "call": {
      const id = content.id ?? counter.next("toolu_");
      const head = { type: "tool_use", id, name: content.name };
      const pieces = argumentDeltas(content);
      const whole = { ...head, input: parsedOrText(pieces.join("")) };
      return [{ start: { ...head, input: {} }, deltas: pieces.map(inputDelta), whole }];
    }
    case "web-search":
      return webSearchBlocks(content, counter);
    default:
      return content satisfies never;
  }
}

function thinkingBlock(text: string | string[], counter: Counter, issued: Issued): SentBlock {
  const signature = counter.next("signature_");
  issued.signatures.set(signature, joined(text));
  const deltas = [
    ...deltasOf(text).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature },
  ];
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas,
    whole: { type: "thinking", thinking: joined(text), signature },
  };
}

function redactedBlock(counter: Counter, issued: Issued): SentBlock {
  const block = { type: "redacted_thinking", data: counter.next("redacted_") };
  issued.redacted.add(block.data);
  return { start: block, deltas: [], whole: block };
}

function webSearchBlocks({ query, results }: Extract<Content, { type: "web-search" }>, counter: Counter): SentBlock[] {
  const head = { type: "server_tool_use", id: counter.next("srvtoolu_"), name: "web_search" };
  const found = {
    type: "web_search_tool_result",
    tool_use_id: head.id,
    content: results.map((page) => ({
      type: "web_search_result",
      ...page,
      encrypted_content: counter.next("encrypted_"),
      page_age: null,
    })),
  };
  return [
    {
      start: { ...head, input: {} },
      deltas: [inputDelta(JSON.stringify({ query }))],
      whole: { ...head, input: { query } },
    },
    { start: found, deltas: [], whole: found },
  ];
}

function inputDelta(json: string): object {
  return { type: "input_json_delta", partial_json: json };
}

function blockEvents(block: SentBlock, index: number): WireEvent[] {
  return [
    event({ type: "content_block_start", index, content_block: block.start }),
    // The signature is no content: a reply held after its last delta has not been signed yet.
    ...block.deltas.map((delta) => event({ type: "content_block_delta", index, delta }, !("signature" in delta))),
    event({ type: "content_block_stop", index }),
  ];
}

function event(data: { type: string; [field: string]: unknown }, delta = false): WireEvent {
  return { text: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`, delta };
}
