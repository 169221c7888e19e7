/** A model that is not there: a loopback HTTP server speaking two providers' protocols, answering by rules. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { wordsOf } from "../../core/error.ts";
import { createAnthropicWire } from "./anthropic.ts";
import { createOpenaiWire } from "./openai.ts";
import { createRuleBook, ruleBuilder, type Matcher, type Rule, type RuleBook, type RuleBuilder } from "./rules.ts";
import type { Refusal, SeenRequest } from "./seen.ts";
import { sendJson, sendReply } from "./send.ts";
import { createCounter, type Wire } from "./wire.ts";

export interface FakeModel {
  /** The base URL for a client of either protocol; paths work with and without `/v1`. */
  readonly url: string;
  /** Every request whose shape could be read, in order, refused ones included. */
  readonly requests: readonly SeenRequest[];
  /** Requests that the real provider would have refused, as this one did. */
  readonly refusals: readonly Refusal[];
  /** For each request the number of the rule that answered it, counted from 0; undefined if none did. */
  readonly answeredBy: readonly (number | undefined)[];
  /** Starts a rule: when the model sees this. Rules are tried in the order in which they were written. */
  on(when: Matcher): RuleBuilder;
  /** What to answer when no rule matches, as often as it takes; the last call counts. */
  otherwise(): RuleBuilder;
  /** Lets every held reply go on. `POST /release` does the same from another process. */
  releaseAll(): void;
  /** Throws if a request was refused or met no rule. */
  assertClean(): void;
  /** Throws as `assertClean` does, and if a rule was used less often than it says. */
  assertNothingLeft(): void;
  /** Destroys open connections and frees the port. Harmless when repeated. */
  close(): Promise<void>;
}

/** What a fake model complains about in its assertions. */
export class FakeModelError extends Error {
  override readonly name = "FakeModelError";
}

interface State {
  readonly rules: RuleBook;
  readonly requests: SeenRequest[];
  readonly refusals: Refusal[];
  readonly answeredBy: (number | undefined)[];
  readonly choose: NonNullable<FakeModelOptions["choose"]>;
  /** What was asked in vain, one text for each request. */
  readonly unmatched: string[];
  otherwise: Rule | undefined;
}

export interface FakeModelOptions {
  readonly port?: number;
  /** Which rule answers a request, given the one that matches, if any; rules are numbered from 0. */
  readonly choose?: (request: SeenRequest, matching: number | undefined) => number | undefined;
}

/** Starts a server on 127.0.0.1; port 0, the default, takes a free one. Rejects if the port is taken. */
export async function startFakeModel(options: FakeModelOptions = {}): Promise<FakeModel> {
  const counter = createCounter();
  const wires = { anthropic: createAnthropicWire(counter), openai: createOpenaiWire(counter) };
  const state: State = {
    rules: createRuleBook(),
    requests: [],
    refusals: [],
    answeredBy: [],
    choose: options.choose ?? ((_request, matching) => matching),
    unmatched: [],
    otherwise: undefined,
  };
  const server = createServer((incoming, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    respond(incoming, response, { wires, state, gone: gone.signal }).catch((error: unknown) => {
      if (gone.signal.aborted) return;
      state.unmatched.push(`the fake model failed: ${String(error)}`);
      if (!response.headersSent)
        sendJson(response, { status: 400, body: { error: { message: `fake model: ${String(error)}` } } });
      else response.destroy();
    });
  });
  // Nothing ends a connection but the script, the client and close(), however long a test thinks.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  const port = await listen(server, options.port ?? 0);
  return fakeModel(server, `http://127.0.0.1:${port}`, state);
}

function fakeModel(server: Server, url: string, state: State): FakeModel {
  const problems = () => [
    ...state.refusals.map((refusal) => `refused (${refusal.protocol}): ${refusal.reason}`),
    ...state.unmatched,
  ];
  return {
    url,
    requests: state.requests,
    refusals: state.refusals,
    answeredBy: state.answeredBy,
    on: (when) => state.rules.add(when),
    otherwise() {
      state.otherwise = { when: () => true, left: Infinity, reply: undefined, hold: undefined };
      return ruleBuilder(state.otherwise);
    },
    releaseAll: () => releaseAll(state),
    assertClean: () => throwIfAny(problems()),
    assertNothingLeft: () =>
      throwIfAny([...problems(), ...state.rules.leftovers().map((rule) => `left over: ${rule}`)]),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new FakeModelError(`The fake model has complaints:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
}

function releaseAll(state: State): void {
  state.rules.releaseAll();
  state.otherwise?.hold?.release();
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new FakeModelError(`expected a TCP address, got ${String(address)}`);
  return address.port;
}

interface Serving {
  readonly wires: Record<Wire["protocol"], Wire>;
  readonly state: State;
  /** Aborted when the client goes away. */
  readonly gone: AbortSignal;
}

async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  { wires, state, gone }: Serving,
): Promise<void> {
  const path = new URL(incoming.url ?? "/", "http://localhost").pathname.replace(/^\/v1\//, "/");
  const route = `${incoming.method} ${path}`;
  if (route === "POST /release") {
    releaseAll(state);
    response.writeHead(204).end();
    return;
  }
  const wire =
    route === "POST /messages" ? wires.anthropic : route === "POST /chat/completions" ? wires.openai : undefined;
  if (wire === undefined) {
    const message = `fake model: ${incoming.method} ${incoming.url} is not served; POST /v1/messages and POST /v1/chat/completions are`;
    return sendJson(response, { status: 404, body: { error: { message } } });
  }
  await answer(wire, state, { raw: await bytesOf(incoming), headers: headersOf(incoming), response, gone });
}

interface Call {
  readonly raw: Buffer;
  readonly headers: Record<string, string>;
  readonly response: ServerResponse;
  readonly gone: AbortSignal;
}

async function answer(wire: Wire, state: State, { raw, headers, response, gone }: Call): Promise<void> {
  const rawBody = raw.toString("utf8");
  const { body, refusal: unreadable } = parseBody(raw);
  const { request, refusal = unreadable } = unreadable === undefined ? wire.read(body) : {};
  const at = state.requests.length;
  if (request !== undefined) {
    state.requests.push({ protocol: wire.protocol, ...request, rawBody, headers });
    state.answeredBy.push(undefined);
  }
  if (request === undefined || refusal !== undefined) {
    const reason = refusal ?? "the request could not be read";
    state.refusals.push({ protocol: wire.protocol, reason, rawBody });
    return sendJson(response, wire.error(400, reason));
  }
  const seen = { protocol: wire.protocol, ...request, rawBody, headers };
  const number = state.choose(seen, state.rules.match(seen));
  state.answeredBy[at] = number;
  const rule = (number === undefined ? undefined : state.rules.take(number)) ?? state.otherwise;
  if (rule?.reply === undefined) {
    const complaint = `no rule for what the model saw: ${JSON.stringify(request.newest)}. Rules: ${state.rules.describe().join("; ") || "none"}`;
    state.unmatched.push(complaint);
    return sendJson(response, wire.error(400, `fake model: ${complaint}`));
  }
  await sendReply(rule.reply, { wire, request, response, gone, hold: rule.hold });
}

/** Providers refuse a body that is not JSON in well-formed Unicode, and so does this one. */
function parseBody(raw: Buffer): { body?: unknown; refusal?: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(raw);
    const body: unknown = JSON.parse(text, (key, value: unknown) => {
      if (/\p{Surrogate}/u.test(key) || (typeof value === "string" && /\p{Surrogate}/u.test(value)))
        throw new SyntaxError("lone surrogate in string");
      return value;
    });
    return { body };
  } catch (error) {
    return { refusal: `The request body is not valid JSON: ${wordsOf(error)}` };
  }
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
