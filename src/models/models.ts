/** Gives the model for a `provider/name`: every provider behind one port, its package loaded when it is wanted. */
import { setTimeout as wait } from "node:timers/promises";
import { UsageError } from "../core/error.ts";
import type { Model, Models } from "../core/model.ts";
import { createAdapter } from "./adapter.ts";
import { createCatalogue, type CatalogueOverrides } from "./catalogue.ts";
import type { Sleep } from "./demo/model.ts";
import { createFailures } from "./failure.ts";
import { DEFAULT_LIMITS, startRealTimer, type TimeLimits, type StartTimer } from "./limits.ts";
import { parseModelId } from "./model-id.ts";
import { PROVIDERS, type Provider, type ProviderName } from "./providers.ts";

export interface ModelsOptions {
  /** Where keys are looked up; nothing else is read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In place of the provider's own address; `openai-compatible` needs one. */
  readonly baseUrl?: string;
  readonly limits?: Partial<TimeLimits>;
  readonly catalogue?: CatalogueOverrides;
  readonly fetch?: typeof globalThis.fetch;
  readonly now: () => number;
  readonly startTimer?: StartTimer;
  /** The demo's pauses between words. */
  readonly sleep?: Sleep;
}

/** A bad id, address or missing key is a UsageError of the returned function, never of a request. */
export function createModels(options: ModelsOptions): Models {
  const startTimer = options.startTimer ?? startRealTimer;
  const catalogue = createCatalogue(options.catalogue);
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));

  async function openModel(id: string, providerName: ProviderName, name: string): Promise<Model> {
    const provider: Provider = PROVIDERS[providerName];
    const url = urlFor(providerName, provider, options.baseUrl);
    const apiKey = keyFor(providerName, provider, options.environment);
    const create = await provider.load();
    return createAdapter({
      id,
      owner: provider.url === undefined ? `${providerName} ${url.host}` : providerName,
      dialect: provider,
      open: (watched) => create({ apiKey, baseURL: url.href.replace(/\/+$/, ""), fetch: watched }, name),
      fetch,
      failures: createFailures({
        provider: providerName,
        host: url.host,
        secrets: apiKey === undefined ? [] : [apiKey],
        now: options.now,
      }),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      startTimer,
      catalogue,
    });
  }

  return async (id) => {
    const { provider, name } = parseModelId(id);
    if (provider === "demo") {
      const { createDemoModel } = await import("./demo/model.ts");
      return createDemoModel({ id: name === "" ? "demo/demo" : id, sleep: options.sleep ?? realSleep });
    }
    return openModel(id, provider, name);
  };
}

const realSleep: Sleep = (ms, signal) => wait(ms, undefined, { signal }).catch(() => {});

function urlFor(providerName: ProviderName, provider: Provider, baseUrl: string | undefined): URL {
  const told = baseUrl ?? provider.url;
  if (told === undefined) {
    throw new UsageError(
      `The provider ${providerName} needs the address of its server: give --base-url, for example http://localhost:11434/v1.`,
    );
  }
  const url = URL.canParse(told) ? new URL(told) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`The base URL "${told}" is not an http or https address.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(`The base URL must not hold a name or password: give the key in ${provider.keyVariables[0]}.`);
  }
  if (url.pathname === "/" && provider.url !== undefined) url.pathname = new URL(provider.url).pathname;
  return url;
}

function keyFor(
  providerName: ProviderName,
  provider: Provider,
  environment: ModelsOptions["environment"],
): string | undefined {
  const key = provider.keyVariables
    .map((variable) => environment[variable]?.trim())
    .find((value) => value !== undefined && value !== "");
  if (key === undefined && provider.needsKey) {
    throw new UsageError(
      `No key for ${providerName}: set ${provider.keyVariables.join(" or ")}, or use --model demo, which needs none.`,
    );
  }
  return key;
}
