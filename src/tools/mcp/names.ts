/** Names for the tools of MCP servers that every provider accepts and that mean one tool only. */
import { createHash } from "node:crypto";

const LONGEST_NAME = 64;

export interface Origin {
  readonly server: string;
  readonly tool: string;
}

/**
 * `server__tool` for each, at most 64 of A-Z a-z 0-9 _ -. A name that would be longer, or that two tools would share,
 * is cut and ends in a hash of its origin, so that it does not depend on the order in which servers answer.
 */
export function toolNames(origins: readonly Origin[]): readonly string[] {
  const plain = origins.map(({ server, tool }) => `${server}__${tool}`.replace(/[^A-Za-z0-9_-]/g, "_"));
  const taken = new Map<string, number>();
  for (const name of plain) taken.set(name, (taken.get(name) ?? 0) + 1);
  return origins.map((origin, at) => {
    const name = plain[at] as string;
    return name.length <= LONGEST_NAME && taken.get(name) === 1 ? name : withHash(name, origin);
  });
}

function withHash(name: string, { server, tool }: Origin): string {
  const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST_NAME - hash.length - 1)}_${hash}`;
}
