/** Answers calls that nobody will run: their operation or their server is gone. */
import { isReady } from "../core/call.ts";
import { claim, defineOperation, pass } from "../core/operation.ts";
import { settleCall } from "../core/settle-open.ts";

/** Stands after every operation that runs calls: whatever is ready here was left over. */
export const unknownTool = () =>
  defineOperation({
    name: "unknown-tool",
    reads: ["calls"],
    writes: ["call.settle", "message.append"],
    durability: "on-barrier",
    claim: ({ calls }) => {
      const left = [...calls.open.values()].filter(isReady);
      return left.length > 0
        ? claim(left, `nobody runs ${left.map((call) => call.tool).join(", ")}`)
        : pass("no call is left over");
    },
    async *run(left, ctx) {
      const { tools } = await ctx.contributions();
      const names = [...tools.keys()];
      yield left.flatMap((call) =>
        settleCall(
          call,
          { status: "failed", errorKind: "tool_unavailable", text: notAvailable(call.tool, names) },
          ctx.newId,
        ),
      );
    },
  });

/** The words for a tool that cannot be called, with those that can. */
export function notAvailable(tool: string, names: readonly string[]): string {
  const others =
    names.length > 0 ? `Tools you can call: ${names.toSorted().join(", ")}.` : "No tools can be called now.";
  return `The tool "${tool}" is not available. ${others}`;
}
