/** Finds the one tool that a mangled name can only mean. */
import type { Contributions, OwnedTool } from "../core/contribution.ts";

/** The advertised tool whose name differs only in case, separators or a prefix; undefined unless exactly one does. */
export function repairName(name: string, tools: Contributions["tools"]): OwnedTool | undefined {
  const owned = [...tools.values()];
  const exact = tools.get(name);
  if (exact) return exact;
  const wanted = bare(name);
  const same = owned.filter(({ tool }) => bare(tool.spec.name) === wanted);
  if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  const prefixed = owned.filter(({ tool }) => lastPart(tool.spec.name) === lastPart(name));
  return prefixed.length === 1 ? prefixed[0] : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** The name without what stands before its last separator of parts: `functions.read`, `server__read`, `mcp/read`. */
function lastPart(name: string): string {
  return bare(name.split(/__|[.:/]/).at(-1) ?? name);
}
