/** Standing approvals: the pattern that a grant is made of, and what it matches. */
import type { Call } from "../core/call.ts";
import type { Grant } from "../core/session.ts";

/**
 * The narrowest standing approval that covers a call: this tool with exactly this subject (a command, a path), or, for a tool
 * without one, this tool. Proven to match the call.
 */
export function grantFor(call: Call): Grant {
  const pattern = call.subject === undefined ? "*" : escapePattern(call.subject);
  const grant: Grant = { tool: call.tool, pattern, scope: "session", callId: call.id };
  if (!covers(grant, call)) throw new Error(`the grant ${pattern} does not match the call ${call.id} it was made for`);
  return grant;
}

export function covers(grant: Grant, call: Call): boolean {
  return grant.tool === call.tool && patternToRegExp(grant.pattern).test(call.subject ?? "");
}

function escapePattern(text: string): string {
  return text.replace(/[*\\]/g, "\\$&");
}

/** `*` is any text, `\` takes the next character as it is, everything else is itself. */
function patternToRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\\([\s\S])|([\s\S])/g, (_match, escaped: string | undefined, plain: string) => {
    if (escaped !== undefined) return literal(escaped);
    return plain === "*" ? "[\\s\\S]*" : literal(plain);
  });
  return new RegExp(`^${source}$`);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
}
