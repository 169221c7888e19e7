/** The ordered list of operations, checked when it is built; the order is the priority. */
import type { Contribution, Contributions, OwnedTool } from "./contribution.ts";
import type { Command, Operation } from "./operation.ts";
import type { Session } from "./session.ts";
import type { Tool, ToolSpec } from "./tool.ts";

export interface Pipeline {
  readonly operations: readonly Operation[];
  /** What a prompt may call by name: the commands of all operations. */
  readonly commands: readonly Command[];
  /** Asks every operation for its share of a model request; throws if two contribute a tool of one name. */
  contributions(session: Session): Promise<Contributions>;
}

/** Throws if names of operations or commands are not unique, or an operation does not stand where it declares it must. */
export function createPipeline(operations: readonly Operation[]): Pipeline {
  const names = operations.map((operation) => operation.name);
  checkUnique("operation", names);
  const commands = operations.flatMap((operation) => operation.commands);
  checkUnique(
    "command",
    commands.map((command) => command.name),
  );
  for (const [at, operation] of operations.entries()) checkPlace(operation, at, names);
  return { operations, commands, contributions: gatherer(operations) };
}

function checkUnique(what: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`the pipeline has two ${what}s named "${twice}"; rename or remove one`);
}

function checkPlace(operation: Operation, at: number, names: readonly string[]): void {
  const misplaced =
    operation.after.find((name) => names.indexOf(name) > at) ??
    operation.before.find((name) => names.includes(name) && names.indexOf(name) < at);
  if (misplaced === undefined) return;
  const side = operation.after.includes(misplaced) ? "after" : "before";
  throw new Error(`operation "${operation.name}" must stand ${side} "${misplaced}" in the pipeline`);
}

/**
 * The tools of each operation are in the order of their names, so that a server that lists them in another order changes no
 * request. Remembers the last tool set, so that an unchanged one is the same array and need not be hashed or converted again.
 */
function gatherer(operations: readonly Operation[]): Pipeline["contributions"] {
  let lastTools: readonly OwnedTool[] = [];
  let last: Pick<Contributions, "tools" | "specs"> = { tools: new Map(), specs: [] };
  return async (session) => {
    const shares: { readonly owner: string; readonly share: Contribution }[] = [];
    for (const operation of operations) {
      const share = await operation.contribute(session);
      if (share) shares.push({ owner: operation.name, share });
    }
    const tools = shares.flatMap(({ owner, share }) => byName(share.tools ?? []).map((tool) => ({ owner, tool })));
    if (!sameTools(tools, lastTools)) {
      last = toolSet(tools);
      lastTools = tools;
    }
    return {
      ...last,
      system: shares.flatMap(({ share }) => (share.prompt ? [share.prompt] : [])).join("\n\n"),
      attention: shares.flatMap(({ share }) => (share.attention ? [share.attention] : [])),
    };
  };
}

function byName(tools: readonly Tool[]): readonly Tool[] {
  return tools.toSorted((left, right) => (left.spec.name < right.spec.name ? -1 : 1));
}

function sameTools(left: readonly OwnedTool[], right: readonly OwnedTool[]): boolean {
  return (
    left.length === right.length &&
    left.every((item, at) => item.tool === right[at]?.tool && item.owner === right[at].owner)
  );
}

function toolSet(owned: readonly OwnedTool[]): Pick<Contributions, "tools" | "specs"> {
  const tools = new Map<string, OwnedTool>();
  const specs: ToolSpec[] = [];
  for (const item of owned) {
    const { name } = item.tool.spec;
    const other = tools.get(name);
    if (other)
      throw new Error(`operations "${other.owner}" and "${item.owner}" both contribute a tool named "${name}"`);
    tools.set(name, item);
    specs.push(item.tool.spec);
  }
  return { tools, specs };
}
