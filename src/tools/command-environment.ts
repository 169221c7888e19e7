/** The environment of a command: that of the person without secrets, set so that no program waits for a terminal. */
import { withoutSecrets, type Environment } from "./secrets.ts";

/**
 * The variable that all processes of one call carry, so that those which left its process tree can be found: the id of the
 * call, a point and the pid of its first process (a call id alone is unique in its session only).
 */
export const CALL_MARKER = "DACAPO_CALL";

const WITHOUT_TERMINAL = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  TERM: "dumb",
  NO_COLOR: "1",
};

/** The first process itself adds its pid to the marker. */
export function commandEnvironment(environment: Environment, callId: string): Record<string, string> {
  const { FORCE_COLOR: _, ...kept } = withoutSecrets(environment);
  return { ...kept, ...WITHOUT_TERMINAL, [CALL_MARKER]: callId };
}
