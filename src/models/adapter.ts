/** One model of a provider, asked through the provider's own package and answered in the engine's words. */
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { Model, ModelPart, ModelRequest } from "../core/model.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Failures } from "./failure.ts";
import { watchedFetch, watchOver, type TimeLimits, type StartTimer, type Watch } from "./limits.ts";
import { createPromptMaker } from "./prompt.ts";
import type { Dialect } from "./providers.ts";
import { createReplyReader, type ReplyReader } from "./reply.ts";
import { createWireIds } from "./wire-ids.ts";

export interface AdapterParts {
  readonly id: string;
  /** Whose metadata the model may have back: the provider, with its host where one name stands for many. */
  readonly owner: string;
  readonly dialect: Dialect;
  readonly open: (fetch: typeof globalThis.fetch) => LanguageModelV3;
  readonly fetch: typeof globalThis.fetch;
  readonly failures: Failures;
  readonly limits: TimeLimits;
  readonly startTimer: StartTimer;
  readonly catalogue: Catalogue;
}

/** How long a finished stream may stay open, so that its connection can be used again. */
const CLOSING_MS = 250;

export function createAdapter(parts: AdapterParts): Model {
  const { id, owner, dialect, failures } = parts;
  const callOptions = createPromptMaker(dialect, owner);
  const { metadataKey } = dialect;
  const { costOf } = parts.catalogue;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void, void> {
    if (signal.aborted) return;
    const watch = watchOver(signal, parts.limits, parts.startTimer);
    const reader = createReplyReader({ provider: owner, metadataKey, failures, costOf: (usage) => costOf(id, usage) });
    try {
      const model = parts.open(watchedFetch(parts.fetch, () => watch.alive()));
      const includeRawChunks = dialect.renamesRepeatedIds === true;
      const result = await watch.wait(
        Promise.resolve(model.doStream({ ...callOptions(request), includeRawChunks, abortSignal: watch.signal })),
      );
      for await (const part of pieces(result.stream, { reader, watch, startTimer: parts.startTimer })) {
        if (signal.aborted) return;
        yield part;
      }
    } catch (error) {
      if (signal.aborted) return;
      const limit = watch.limit();
      yield {
        type: "failure",
        failure: limit === undefined ? failures.of(error) : failures.ofLimit(limit, parts.limits),
      };
    } finally {
      watch.end();
    }
  }

  return { id, stream };
}

interface Reading {
  readonly reader: ReplyReader;
  readonly watch: Watch;
  readonly startTimer: StartTimer;
}

/** The pieces up to the finish or failure; never waits for a hung stream to close. */
async function* pieces(stream: ReadableStream<LanguageModelV3StreamPart>, { reader, watch, startTimer }: Reading) {
  const source = stream.getReader();
  const wireIds = createWireIds();
  try {
    for (;;) {
      const { done, value } = await watch.wait(source.read());
      const read = done ? [reader.cut()] : reader.read(wireIds.restored(value));
      yield* read;
      const last = read.at(-1)?.type;
      if (last === "finish" && !done) await closed(source, startTimer);
      if (last === "finish" || last === "failure") return;
    }
  } finally {
    source.cancel().catch(() => {});
  }
}

async function closed(source: ReadableStreamDefaultReader<unknown>, startTimer: StartTimer): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = startTimer(resolve, CLOSING_MS);
    const settled = () => {
      stop();
      resolve();
    };
    source.read().then(settled, settled);
  });
}
