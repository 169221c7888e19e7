/** Judges the faults of providers: which kind each is, in one table, and in which words it is told. */
import { STATUS_CODES } from "node:http";
import type { ModelFailure } from "../core/model.ts";
import { faultOf, type Fault } from "./fault.ts";
import type { LimitName, TimeLimits } from "./limits.ts";
import type { ProviderName } from "./providers.ts";

type Kind = ModelFailure["kind"];

/** Codes that mean one thing wherever they are found, on top of any status. */
const SPECIFIC: Readonly<Record<string, Kind>> = {
  context_length_exceeded: "context_overflow",
  exceed_context_size_error: "context_overflow", // llama.cpp
  request_too_large: "context_overflow",
  // Nothing is gained by waiting for a quota that must be paid: like a bad key, it takes a person.
  insufficient_quota: "model_auth",
  billing_error: "model_auth",
  billing_hard_limit_reached: "model_auth",
  invalid_api_key: "model_auth",
  API_KEY_INVALID: "model_auth", // Google says so with status 400
  overloaded_error: "model_overloaded",
  server_is_overloaded: "model_overloaded",
  slow_down: "model_overloaded",
  rate_limit_error: "model_rate_limited",
  rate_limit_exceeded: "model_rate_limited",
};

/** Where a provider has only prose for it; looked at in errors of status 400 and 413 alone. */
const OVERFLOW_PROSE: Readonly<Record<ProviderName, RegExp>> = {
  anthropic: /^(prompt is too long|input length and `max_tokens` exceed context limit)/i,
  openai: /exceeds the context window/i,
  google: /input token count.* exceeds the maximum number of tokens/i,
  "openai-compatible":
    /maximum context length|exceeds? the (available )?context (size|window|length)|prompt is too long/i,
};

/** Errors that the packages and Node name. */
const NAMES: Readonly<Record<string, Kind>> = {
  AI_JSONParseError: "model_invalid_output",
  AI_TypeValidationError: "model_invalid_output",
  AI_InvalidResponseDataError: "model_invalid_output",
  AI_EmptyResponseBodyError: "model_invalid_output",
  AI_LoadAPIKeyError: "model_auth",
  AI_UnsupportedFunctionalityError: "model_invalid_request",
  AI_InvalidPromptError: "model_invalid_request",
  AI_InvalidArgumentError: "model_invalid_request",
};

const STATUSES: Readonly<Record<number, Kind>> = {
  401: "model_auth",
  402: "model_auth",
  403: "model_auth",
  408: "model_unavailable",
  409: "model_unavailable",
  425: "model_unavailable",
  429: "model_rate_limited",
  503: "model_overloaded",
  529: "model_overloaded",
};

/** Codes that are only as good as the lack of a better sign: OpenAI calls most of its 4xx `invalid_request_error`. */
const GENERIC: Readonly<Record<string, Kind>> = {
  authentication_error: "model_auth",
  permission_error: "model_auth",
  UNAUTHENTICATED: "model_auth",
  PERMISSION_DENIED: "model_auth",
  RESOURCE_EXHAUSTED: "model_rate_limited",
  UNAVAILABLE: "model_overloaded",
  invalid_request_error: "model_invalid_request",
  not_found_error: "model_invalid_request",
  invalid_prompt: "model_invalid_request",
  INVALID_ARGUMENT: "model_invalid_request",
  NOT_FOUND: "model_invalid_request",
  api_error: "model_unavailable",
  server_error: "model_unavailable",
  timeout_error: "model_unavailable",
};

/** Limits that undici keeps by itself. */
const NETWORK_LIMITS: Readonly<Record<string, NonNullable<ModelFailure["limit"]>>> = {
  UND_ERR_CONNECT_TIMEOUT: "connect",
  UND_ERR_HEADERS_TIMEOUT: "first-byte",
  UND_ERR_BODY_TIMEOUT: "idle",
};

const NETWORK_NAME = /^(E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|ERR_TLS_\w+|\w+_SIGNATURE)$/;

function kindOf(fault: Fault, provider: ProviderName): Kind {
  const { status, codes, names, words } = fault;
  const found = (table: Readonly<Record<string, Kind>>, keys: readonly string[]) =>
    keys.map((key) => table[key]).find((kind) => kind !== undefined);
  const specific = found(SPECIFIC, codes);
  if (specific !== undefined) return specific;
  if ((status === 400 || status === 413) && OVERFLOW_PROSE[provider].test(words)) return "context_overflow";
  const named = found(NAMES, names);
  if (named !== undefined) return named;
  const byStatus = status === undefined ? undefined : STATUSES[status];
  if (byStatus !== undefined) return byStatus;
  if (status !== undefined && status >= 400 && status < 500) return "model_invalid_request";
  // The Anthropic package reports an error at the head of a stream as a status 500 of its own making: the type knows better.
  const generic = found(GENERIC, codes);
  if (generic !== undefined) return generic;
  if (status !== undefined && status >= 500) return "model_unavailable";
  if (names.some((name) => NETWORK_NAME.test(name)) || neverConnected(fault)) return "model_unavailable";
  return "model_invalid_output";
}

/** Without a system code: a call that has no status, or what fetch itself throws. */
function neverConnected({ status, names, words }: Fault): boolean {
  return status === undefined && (names.includes("AI_APICallError") || /^(fetch failed|failed to fetch)$/i.test(words));
}

/** Makes failures that a person can read: the provider, the status, the provider's own words, and never a key. */
export interface Failures {
  of(error: unknown): ModelFailure;
  ofLimit(limit: LimitName, limits: TimeLimits): ModelFailure;
  because(kind: Kind, words: string): ModelFailure;
}

export interface FailureContext {
  readonly provider: ProviderName;
  readonly host: string;
  readonly secrets: readonly string[];
  readonly now: () => number;
}

const LONGEST_WORDS = 600;

export function createFailures({ provider, host, secrets, now }: FailureContext): Failures {
  const because = (kind: Kind, words: string): ModelFailure => ({
    kind,
    message: withoutSecrets(`${provider} ${words}`, secrets),
  });
  return {
    because,
    ofLimit(limit, limits) {
      const failure = because("model_unavailable", LIMIT_WORDS[limit](limits));
      return { ...failure, limit };
    },
    of(error) {
      const fault = faultOf(error);
      const failure = because(kindOf(fault, provider), wordsFor(fault, host));
      const retryAfterMs = retryAfter(fault, now);
      const limit = fault.names.map((name) => NETWORK_LIMITS[name]).find((name) => name !== undefined);
      return {
        ...failure,
        ...(fault.status === undefined || fault.status < 400 ? {} : { status: fault.status }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        ...(limit === undefined ? {} : { limit }),
      };
    },
  };
}

const LIMIT_WORDS: Readonly<Record<LimitName, (limits: TimeLimits) => string>> = {
  "first-byte": (limits) => `sent nothing for ${limits.firstByteMs / 1000} s (first-byte limit)`,
  idle: (limits) => `fell silent in mid-reply for ${limits.idleMs / 1000} s (idle limit)`,
  total: (limits) => `did not finish within ${limits.totalMs / 1000} s (total limit)`,
};

function wordsFor(fault: Fault, host: string): string {
  const { status, words, codes, names } = fault;
  const said = words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)} …` : words;
  if (status !== undefined && status >= 400) {
    return `answered ${status}: ${said === "" ? (STATUS_CODES[status] ?? "no explanation") : said}`;
  }
  if (codes.length > 0) return `reported ${codes[0]}: ${said === "" ? "no explanation" : said}`;
  const network =
    names.find((name) => NETWORK_NAME.test(name)) ?? (neverConnected(fault) ? "no connection" : undefined);
  if (network !== undefined) {
    const why = said === "" ? network : `${network}: ${said}`;
    return status === undefined ? `could not be reached at ${host} (${why})` : `broke off the connection (${why})`;
  }
  return `sent what cannot be read as its protocol: ${said === "" ? "no explanation" : said}`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}

/** `retry-after-ms`, `retry-after` in seconds or as an HTTP date, or Google's `retryDelay`; never negative. */
function retryAfter({ headers, retryDelayMs }: Fault, now: () => number): number | undefined {
  const inMs = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(inMs)) return Math.max(0, Math.ceil(inMs));
  const told = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(told)) return Math.ceil(Number(told) * 1000);
  const at = Date.parse(told);
  return Number.isNaN(at) ? retryDelayMs : Math.max(0, at - now());
}
