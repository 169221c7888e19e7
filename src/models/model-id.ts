/** Reads a `provider/name`. */
import { UsageError } from "../core/error.ts";
import { PROVIDERS, type ProviderName } from "./providers.ts";

interface ModelId {
  readonly provider: ProviderName | "demo";
  /** May be empty for the demo alone. */
  readonly name: string;
}

/** Throws UsageError. Needs no key: whether the model can be asked is for whoever opens it. */
export function parseModelId(id: string): ModelId {
  const slash = id.indexOf("/");
  const provider = slash === -1 ? id : id.slice(0, slash);
  const name = slash === -1 ? "" : id.slice(slash + 1);
  const known = [...Object.keys(PROVIDERS), "demo"];
  if (!known.includes(provider)) {
    throw new UsageError(
      `Unknown model "${id}": a model is PROVIDER/NAME, and the providers are ${known.join(", ")}. \`dacapo send ID --set model=PROVIDER/NAME\` gives a session another one.`,
    );
  }
  if (name === "" && provider !== "demo") {
    throw new UsageError(`The model "${id}" has no name: write ${provider}/NAME.`);
  }
  return { provider: provider as ModelId["provider"], name };
}
