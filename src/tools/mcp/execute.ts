/** Runs one call on an MCP server and answers for whatever can come of it: a result, a time limit, a cancel, a lost server. */
import { wellFormed, type JsonObject } from "../../core/json.ts";
import type { ToolContext, ToolResult } from "../../core/tool.ts";
import type { Connection } from "./connection.ts";
import { resultOf } from "./results.ts";
import { complaintOf, isMalformed } from "./words.ts";

export interface CallTarget {
  readonly server: string;
  /** As the server names it. */
  readonly tool: string;
  readonly connection: Connection;
  /** How long the call may go without progress. */
  readonly timeoutMs: number;
}

/** Must not throw. */
export async function executeCall(target: CallTarget, args: JsonObject, ctx: ToolContext): Promise<ToolResult> {
  if (ctx.signal.aborted) return failed("tool_failed", "Cancelled before it was sent; nothing was done.");
  const stop = new AbortController();
  const onCancel = (): void => stop.abort(new Error("cancelled by the user"));
  const onTimeout = (): void => stop.abort(new Error("the call took too long"));
  let timer = setTimeout(onTimeout, target.timeoutMs);
  ctx.signal.addEventListener("abort", onCancel);
  try {
    const output = await target.connection.call({
      name: target.tool,
      args,
      meta: { "dacapo/idempotencyKey": ctx.idempotencyKey, "dacapo/callId": ctx.callId },
      signal: stop.signal,
      onProgress: ({ progress, total, message }) => {
        clearTimeout(timer);
        timer = setTimeout(onTimeout, target.timeoutMs);
        if (!stop.signal.aborted)
          ctx.progress(progress, total, message === undefined ? undefined : wellFormed(message));
      },
    });
    return resultOf(output, target.tool);
  } catch (error) {
    return explained(target, error, { isStopped: stop.signal.aborted, isCancelled: ctx.signal.aborted });
  } finally {
    clearTimeout(timer);
    ctx.signal.removeEventListener("abort", onCancel);
  }
}

/** The SDK gives one code for a cancel, a time limit and a server's own errors, so the code is not looked at. */
function explained(
  { server, tool, connection, timeoutMs }: CallTarget,
  error: unknown,
  { isStopped, isCancelled }: { readonly isStopped: boolean; readonly isCancelled: boolean },
): ToolResult {
  if (isStopped && isCancelled) {
    return failed("tool_failed", "Cancelled: the server was told to stop. The call may have taken effect in part.");
  }
  if (isStopped) {
    const limit = `${timeoutMs / 1000} s without progress`;
    return failed(
      "tool_timeout",
      `Timed out after ${limit}: the server "${server}" was told to stop. The call may have taken effect in part.`,
    );
  }
  const lost = connection.lost();
  if (lost !== undefined) {
    return failed(
      "tool_unavailable",
      `The MCP server "${server}" was lost during the call, which may or may not have taken effect: ${lost}`,
    );
  }
  if (isMalformed(error)) {
    const what = `The server "${server}" answered the call of "${tool}", which may have taken effect, with something that is no result`;
    return failed("tool_failed", `${what}: ${complaintOf(error)}`);
  }
  return failed("tool_failed", complaintOf(error));
}

function failed(errorKind: NonNullable<ToolResult["errorKind"]>, message: string): ToolResult {
  return { errorKind, content: [{ type: "text", text: wellFormed(message) }] };
}
