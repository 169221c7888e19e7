/** What the stories of tools share: how results and calls reached the model. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { standardPipeline } from "../../src/operations/pipeline.ts";
import type { PipelinePorts } from "../../src/operations/pipeline.ts";
import { handMadeTool } from "../../src/testing/index.ts";
import type { Agent } from "../../src/testing/index.ts";

/** The results in a request, the last one if not said: `!` stands before an error. */
export function resultsSent(agent: Agent, number = -1): readonly string[] {
  const messages = agent.requests().at(number)?.messages ?? [];
  return messages.flatMap(({ toolResults }) => toolResults.map(({ text, isError }) => `${isError ? "!" : ""}${text}`));
}

/** The calls in the last request, as the model gets its own words back. */
export function callsSent(agent: Agent): readonly string[] {
  const messages = agent.requests().at(-1)?.messages ?? [];
  return messages.flatMap(({ toolCalls }) => toolCalls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`));
}

/** Whether a kill cut a call that is not safe to repeat: then its result is another one. */
export function isCut(agent: Agent): boolean {
  return (agent.cut?.calls.length ?? 0) > 0;
}

/** For hand-made tools that may run at any time and again. */
export const SAFE = { readOnly: true, idempotent: true, touches: [] };

const named = (name: string) => handMadeTool({ ...SAFE, name, run: () => `I am ${name}` });

/** The standard pipeline with tools of these names alone; without `late` as long as there is a file `no late`. */
export const withTools =
  (...names: readonly string[]) =>
  (ports: PipelinePorts) =>
    standardPipeline({
      ...ports,
      tools: {
        tools: (workspace) =>
          Promise.resolve(names.filter((name) => !existsSync(join(workspace, `no ${name}`))).map(named)),
      },
    });
