/** A fake model, and the command line that asks it. */
import { onTestFinished } from "vitest";
import { startFakeModel } from "../../src/testing/index.ts";
import type { FakeModel } from "../../src/testing/index.ts";
import { createCli } from "./cli.ts";
import type { Cli } from "./cli.ts";

export async function startFake(): Promise<{ readonly model: FakeModel; readonly cli: Cli }> {
  const model = await startFakeModel();
  onTestFinished(() => model.close());
  return {
    model,
    cli: createCli({ DACAPO_MODEL: "openai-compatible/fake", DACAPO_BASE_URL: `${model.url}/v1` }),
  };
}
