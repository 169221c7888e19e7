/** Makes one tool host of several. */
import { UsageError } from "../core/error.ts";
import type { HostedTool, Tool, ToolHost } from "../core/tool.ts";

/** The tools of all hosts, in the order of the hosts. Two tools of one name throw a UsageError that names where both come from. */
export function combineHosts(...hosts: readonly ToolHost[]): ToolHost {
  return {
    async tools(workspace) {
      const tools = (await Promise.all(hosts.map((host) => host.tools(workspace)))).flat();
      refuseDuplicates(tools);
      return tools;
    },
  };
}

function refuseDuplicates(tools: readonly HostedTool[]): void {
  const known = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.spec;
    const other = known.get(name);
    if (other !== undefined) {
      throw new UsageError(
        `Two tools are called "${name}": ${originOf(other)} and ${originOf(tool)}. Rename or leave out one of them.`,
      );
    }
    known.set(name, tool);
  }
}

function originOf(tool: Tool): string {
  return tool.server === undefined ? "a tool of this program" : `one of the server "${tool.server}"`;
}
