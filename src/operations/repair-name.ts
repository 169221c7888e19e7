/** Finds the one tool that a mangled name can only mean. */
import type { Contributions, OwnedTool } from "../core/contribution.ts";

/** What models put before names by themselves. Any other prefix may be that of a server which is gone, with a tool of its own. */
const COMMON_PREFIX = /^(?:(?:functions?|tools?|default_api|api)[.:/]|functions__|mcp__(?=.+__))/i;

/**
 * The advertised tool whose name differs only in case and separators, in a prefix that is no server's, or in that the name
 * of its server is missing; undefined unless exactly one does.
 */
export function repairName(name: string, tools: Contributions["tools"]): OwnedTool | undefined {
  const owned = [...tools.values()];
  for (const wanted of [bare(name), bare(name.replace(COMMON_PREFIX, ""))]) {
    const same = owned.filter(({ tool }) => bare(tool.spec.name) === wanted);
    if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  }
  const wanted = bare(name);
  const ofServers = owned.filter(({ tool }) => bare(withoutServer(tool.spec.name)) === wanted);
  return ofServers.length === 1 ? ofServers[0] : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[\s_.:/-]/g, "");
}

function withoutServer(name: string): string {
  return name.slice(name.indexOf("__") + 1);
}
