/** P8: a tool that prints many lines must not need memory for them. `output LINES FILE`. */
import { argument, numberAt } from "./kit/arguments.ts";
import { add } from "./kit/adder.ts";
import { openEngine } from "./kit/engine.ts";
import { peakRssMb, report } from "./kit/measure.ts";
import type { HostedTool } from "../src/core/tool.ts";

/** Lines between two looks at what else there is to do. */
const PORTION = 500;

const [lines, path] = [numberAt(0), argument(1)];

const wordy: HostedTool = {
  ...add,
  async execute(args, ctx) {
    const output = ctx.collector();
    for (let line = 0; line < lines; line += 1) {
      output.write(
        `line ${line}: the quick brown fox jumps over the lazy dog, and that takes about a hundred characters\n`,
      );
      if (line % PORTION === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { text, artifact } = output.finish();
    const sum = await add.execute(args, ctx);
    const content = [...sum.content, { type: "text" as const, text }];
    return artifact ? { content, artifacts: [artifact] } : { content };
  },
};

const { app, create, turn } = await openEngine(path, "normal", { rounds: 1, tools: { tools: async () => [wordy] } });
await turn(await create());
await app.close();
report({ rssMb: peakRssMb() });
