/** What the fake model can answer, as plain data: the builder and the JSON script both end in one of these. */
import { z } from "zod";

/** A strict object whose complaint about an unknown key names the keys it knows. */
export function strictShape<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `unknown key, expected one of: ${Object.keys(shape).join(", ")}` : undefined,
  });
}

const streamedText = z
  .union([z.string(), z.array(z.string())], { error: "expected a string, or an array of strings (the exact deltas)" })
  .describe(
    "A string is sent in up to three deltas, cut between code points; an array is sent as exactly these deltas.",
  );

const TextContent = strictShape({ type: z.literal("text"), text: streamedText });

const ReasoningContent = strictShape({
  type: z.literal("reasoning"),
  text: streamedText,
  redacted: z
    .boolean()
    .optional()
    .describe("Anthropic only: an opaque redacted_thinking block instead of readable text."),
});

const CallContent = strictShape({
  type: z.literal("call"),
  name: z.string(),
  input: z
    .json()
    .optional()
    .describe("The arguments; {} if left out. Any JSON value, so that wrong ones can be sent too."),
  rawInput: streamedText
    .optional()
    .describe("The arguments as raw text in place of `input`, for text that is not JSON."),
  id: z.string().optional().describe("The call id; the server counts if left out. Give it to repeat or reuse one."),
});

const WebSearchContent = strictShape({
  type: z.literal("web-search"),
  query: z.string(),
  results: z.array(strictShape({ url: z.string(), title: z.string() })),
}).describe("A call the provider runs itself, with its result. Anthropic only; left out of an OpenAI reply.");

/** One piece of a reply, in the order the model says it. */
export const Content = z.discriminatedUnion("type", [TextContent, ReasoningContent, CallContent, WebSearchContent], {
  error: "expected content with a type of: text, reasoning, call, web-search",
});
export type Content = z.infer<typeof Content>;
export type CallContent = z.infer<typeof CallContent>;

/** Why the model stopped. Left out, it is `calls` if the reply has a call and `end` if not. */
export const Stop = z.enum(["end", "calls", "length", "refusal", "pause", "context-window"]);
export type Stop = z.infer<typeof Stop>;

const tokens = z.int().min(0).optional();

/** Tokens of one reply. `input` counts only what is neither read from nor written to the cache, on both protocols. */
export const Usage = strictShape({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  reasoning: tokens,
});
export type Usage = z.infer<typeof Usage>;

const streamPosition = z
  .union([z.literal("headers"), z.int().min(0)], { error: 'expected "headers" or a number of deltas (0 or more)' })
  .describe('"headers": nothing of the body was sent; 0: the opening event was; n: n deltas of content were.');

/** How far a stream is sent before something happens. */
export type StreamPosition = z.infer<typeof streamPosition>;

const after = streamPosition.optional();

/** What goes wrong in the middle of a streamed reply; `after` is 0 if left out. */
export const Fault = z.discriminatedUnion(
  "type",
  [
    strictShape({ type: z.literal("cut"), after }).describe("The socket is destroyed."),
    strictShape({ type: z.literal("early-end"), after }).describe("The body ends properly, without its final events."),
    strictShape({ type: z.literal("bad-json"), after }).describe("One event is not JSON; the rest follows."),
    strictShape({ type: z.literal("stall"), after }).describe("Nothing more is sent; the connection stays open."),
    strictShape({
      type: z.literal("error-event"),
      after,
      errorType: z.string().optional().describe("overloaded_error (Anthropic) or server_error (OpenAI) if left out."),
      message: z.string().optional(),
    }).describe("The provider's error event; the stream ends there."),
  ],
  { error: "expected a fault with a type of: cut, early-end, bad-json, stall, error-event" },
);
export type Fault = z.infer<typeof Fault>;

const MessageReply = strictShape({
  type: z.literal("message"),
  content: z.array(Content).describe("Empty for a reply with no content at all."),
  stop: Stop.optional(),
  usage: Usage.nullable().optional().describe("null: no usage at all (zeros on Anthropic, whose format requires it)."),
  chunkBytes: z
    .int()
    .min(1)
    .optional()
    .describe("Send the body in pieces of so many bytes, cutting UTF-8 sequences too."),
  fault: Fault.optional(),
});

const HttpErrorReply = strictShape({
  type: z.literal("http-error"),
  status: z.int().min(400).max(599),
  message: z.string().optional(),
  code: z
    .string()
    .optional()
    .describe("OpenAI's error.code or Anthropic's error.type; the usual one for the status if left out."),
  retryAfterSeconds: z.number().min(0).optional(),
  retryAfterDate: z.string().optional().describe("An HTTP date for the Retry-After header."),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().optional().describe('The body in place of the provider\'s error shape: "" for an empty one.'),
});

/** Every form of answer. A form that a protocol does not have is described where it is defined. */
export const Reply = z.discriminatedUnion(
  "type",
  [
    MessageReply.describe("A reply of the model: streamed if the request asks for it."),
    HttpErrorReply.describe("A failed request, in the provider's own error shape."),
    strictShape({
      type: z.literal("context-too-long"),
      tokens: z.int().optional(),
      limit: z.int().optional(),
    }).describe("The provider's own refusal of a prompt that is too long."),
    strictShape({ type: z.literal("html"), body: z.string().optional() }).describe(
      "A web page with status 200, as a proxy sends.",
    ),
    strictShape({ type: z.literal("no-choices") }).describe(
      "OpenAI: choices: []. Anthropic: a message without content.",
    ),
    strictShape({ type: z.literal("silence") }).describe("The connection is accepted and not a byte is sent."),
    strictShape({ type: z.literal("reset") }).describe("The connection is reset before a byte is sent."),
  ],
  { error: "expected a reply with a type of: message, http-error, context-too-long, html, no-choices, silence, reset" },
);
export type Reply = z.infer<typeof Reply>;
export type MessageReply = z.infer<typeof MessageReply>;
export type HttpErrorReply = z.infer<typeof HttpErrorReply>;

/** When a held reply waits: before anything is sent ("request"), or at a place in its stream. Not streamed means "request". */
export const HoldPoint = strictShape({
  after: z.union([z.literal("request"), streamPosition], {
    error: 'expected "request", "headers" or a number of deltas (0 or more)',
  }),
});
export type HoldPoint = z.infer<typeof HoldPoint>;

/** Text as the model says it: a string goes out in up to three deltas, an array as exactly these. */
export function text(said: string | string[]): Content {
  return { type: "text", text: said };
}

/** Reasoning with a signature that this server issues and later demands back unchanged (Anthropic), or `reasoning_content`. */
export function reasoning(thought: string | string[], options: { redacted?: boolean } = {}): Content {
  return { type: "reasoning", text: thought, ...options };
}

/** A call of a tool; `rawInput` in the options replaces `input` by text that need not be JSON. */
export function call(
  name: string,
  input: CallContent["input"] = {},
  options: { id?: string; rawInput?: string | string[] } = {},
): Content {
  return { type: "call", name, input, ...options };
}

/** A web search that the provider runs itself. */
export function webSearch(query: string, results: { url: string; title: string }[]): Content {
  return { type: "web-search", query, results };
}
