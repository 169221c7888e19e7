/** The calculator over Streamable HTTP on loopback, in the process that starts it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { McpServerEntry } from "../../tools/mcp/config.ts";
import { createCalculator, type Calculator } from "./calculator.ts";

export interface CalculatorHttp {
  readonly port: number;
  /** The entry of a configuration's `mcpServers` that connects to it; its annotations are trusted. */
  readonly entry: McpServerEntry;
  /** How many clients are connected now. */
  connections(): number;
  /** The headers of the last request. */
  lastHeaders(): Readonly<Record<string, string | readonly string[] | undefined>>;
  close(): Promise<void>;
}

/** Give the port of a closed one to come back at its address; clients of the old one are unknown to the new one. */
export async function startCalculatorHttp(
  options: { readonly log?: string; readonly port?: number } = {},
): Promise<CalculatorHttp> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  let headers: IncomingMessage["headers"] = {};
  const http = createServer((request, response) => {
    headers = request.headers;
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => http.close(resolve));
    http.closeAllConnections();
    transports.clear();
    await closed;
  };
  const calculator = createCalculator({
    crash: () => void close(),
    ...(options.log !== undefined && { log: options.log }),
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? transports.get(id) : undefined;
    if (id !== undefined && !known) response.writeHead(404).end("no such MCP session");
    else await (known ?? (await welcome(calculator, transports))).handleRequest(request, response);
  };
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  return {
    port,
    entry: { url: `http://127.0.0.1:${port}/mcp`, trustAnnotations: true },
    connections: () => transports.size,
    lastHeaders: () => headers,
    close,
  };
}

let welcomed = 0;

async function welcome(
  calculator: Calculator,
  transports: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const [sdk, tools] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
    import("./tools.ts"),
  ]);
  welcomed += 1;
  const id = `client-${process.pid}-${welcomed}`;
  const transport = new sdk.StreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessioninitialized: () => void transports.set(id, transport),
    onsessionclosed: () => void transports.delete(id),
  });
  await tools.createCalculatorMcpServer(calculator).connect(transport);
  return transport;
}
