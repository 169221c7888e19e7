/** The calculator as a process of its own, on stdio: `node server.js [--log FILE]`. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createCalculator } from "./calculator.ts";
import { createCalculatorMcpServer } from "./tools.ts";

const at = process.argv.indexOf("--log");
const log = at === -1 ? undefined : process.argv[at + 1];

// A client that is gone cannot be answered, and a call that waits would keep the process alive.
process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
const calculator = createCalculator({
  crash: () => process.kill(process.pid, "SIGKILL"),
  ...(log !== undefined && { log }),
});
await createCalculatorMcpServer(calculator).connect(new StdioServerTransport());
