/** The calculator as an MCP server: arithmetic with a running total, and one tool for each way in which a tool can behave. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { CHANGES, READS, say, sayError, type AddTool, type Extra } from "./add-tool.ts";
import type { Calculator } from "./calculator.ts";
import { registerContentTools } from "./content-tools.ts";

/** One server per connection; the calculator is what they share. */
export function createCalculatorMcpServer(calculator: Calculator): McpServer {
  const server = new McpServer({ name: "calculator", version: "1.0.0" });
  const add: AddTool = ({ name, description, input, annotations, output }, run) => {
    const handle = async (args: Record<string, unknown>, extra: Extra): Promise<CallToolResult> => {
      const key = extra._meta?.["dacapo/idempotencyKey"];
      calculator.record({ tool: name, args, ...(typeof key === "string" && { idempotencyKey: key }) });
      return await run(args as z.infer<z.ZodObject<typeof input>>, extra);
    };
    const config = { description, inputSchema: z.object(input), annotations, ...(output && { outputSchema: output }) };
    server.registerTool(name, config, handle);
  };
  addArithmetic(add, calculator);
  addWaiting(add, calculator);
  addMischief(add, calculator);
  addDialogue(add, server);
  registerContentTools(add);
  return server;
}

function addArithmetic(add: AddTool, calculator: Calculator): void {
  const operations = { add: "+", subtract: "-", multiply: "*", divide: "/" } as const;
  for (const [name, operator] of Object.entries(operations)) {
    add(
      {
        name,
        description: `Computes a ${operator} b; without b, the running total ${operator} a. The result becomes the running total.`,
        input: { a: z.number(), b: z.number().optional() },
        output: { result: z.number(), total: z.number() },
        annotations: CHANGES,
      },
      ({ a, b }) => {
        const result = calculator.compute(operator, a, b);
        return { ...say(String(result)), structuredContent: { result, total: calculator.total() } };
      },
    );
  }
  add({ name: "total", description: "Tells the running total.", input: {}, annotations: READS }, () =>
    say(String(calculator.total())),
  );
  const reset = { ...CHANGES, destructiveHint: true, idempotentHint: true };
  add({ name: "reset", description: "Sets the running total to 0.", input: {}, annotations: reset }, () => {
    calculator.reset();
    return say("0");
  });
}

function addWaiting(add: AddTool, calculator: Calculator): void {
  add(
    {
      name: "slow",
      description: "Takes its time, telling its progress in steps; a cancel ends it and is recorded as `cancelled`.",
      input: { milliseconds: z.number().min(0).max(600_000), steps: z.number().int().min(1).max(1_000).optional() },
      annotations: READS,
    },
    async ({ milliseconds, steps = 3 }, extra) => {
      for (let step = 1; step <= steps; step += 1) {
        await pause(milliseconds / steps, extra.signal);
        if (extra.signal.aborted) {
          calculator.record({ tool: "cancelled", args: { tool: "slow", afterSteps: step - 1 } });
          return sayError("cancelled");
        }
        await tellProgress(extra, step, steps);
      }
      return say(`waited ${milliseconds} ms`);
    },
  );
  add(
    {
      name: "barrier",
      description: "Returns only when n calls have arrived here; fails after 10 s.",
      input: { n: z.number().int().min(1), name: z.string().optional() },
      annotations: READS,
    },
    async ({ n, name = "barrier" }) => {
      const isComplete = await calculator.arrive(name, n);
      return isComplete ? say(`${n} calls met at ${name}`) : sayError(`fewer than ${n} calls came to ${name}`);
    },
  );
  add(
    { name: "hang", description: "Never answers, not even to a cancel.", input: {}, annotations: READS },
    async (_args, extra) => {
      await tellProgress(extra, 1, 1);
      return await new Promise<never>(() => {});
    },
  );
}

function addMischief(add: AddTool, calculator: Calculator): void {
  add(
    { name: "fail", description: "Fails.", input: { message: z.string().optional() }, annotations: CHANGES },
    ({ message = "it failed" }) => sayError(message),
  );
  add({ name: "crash", description: "Ends the server in mid-call.", input: {}, annotations: CHANGES }, async () => {
    calculator.crash();
    return await new Promise<never>(() => {});
  });
}

function addDialogue(add: AddTool, server: McpServer): void {
  add(
    {
      name: "ask",
      description: "Asks the person a question.",
      input: { question: z.string() },
      annotations: CHANGES,
    },
    async ({ question }) => {
      const requestedSchema = {
        type: "object" as const,
        properties: { answer: { type: "string" as const, default: "yes" } },
      };
      const answer = await server.server.elicitInput({ message: question, requestedSchema });
      const said = answer.action === "accept" ? `: ${JSON.stringify(answer.content ?? {})}` : "";
      return say(`${answer.action}${said}`);
    },
  );
  add({ name: "roots", description: "Tells the client's roots.", input: {}, annotations: READS }, async () => {
    const { roots } = await server.server.listRoots();
    return say(roots.map(({ uri }) => uri).join("\n"));
  });
  add(
    {
      name: "grow",
      description: "Adds a tool to the list.",
      input: { name: z.string().optional() },
      annotations: CHANGES,
    },
    ({ name = "grown" }) => {
      add({ name, description: "Was not there before.", input: {}, annotations: READS }, () => say(`I am ${name}`));
      return say(`added ${name}`);
    },
  );
}

async function tellProgress(extra: Extra, progress: number, total: number): Promise<void> {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, total, message: `step ${progress} of ${total}` };
  await extra.sendNotification({ method: "notifications/progress", params });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
