/** The settings of a session while inputs wait that change them. */
import type { Configuration } from "../core/input.ts";
import type { Session } from "../core/session.ts";
import type { RunFlags } from "./run-flags.ts";

/**
 * What the flags change. A session that is told nothing new has nothing to take in; but what waits is taken in first, so a flag
 * about a setting that it touches is said whatever is in force now.
 */
export function settingsOf({ model, mode, maxTurns, title }: RunFlags, session: Session): Configuration | undefined {
  const { session: current } = session;
  const waiting = waitingOf(session);
  const touched = (key: keyof Configuration): boolean => waiting.some((set) => set[key] !== undefined);
  const set: Configuration = {
    ...(model !== undefined && (model !== current.model || touched("model")) && { model }),
    ...(mode !== undefined && (mode !== current.mode || touched("mode")) && { mode }),
    ...(title !== undefined && (title !== current.title || touched("title")) && { title }),
    ...(maxTurns !== undefined &&
      (maxTurns !== current.limits.inferences || touched("limits")) && { limits: { inferences: maxTurns } }),
  };
  return Object.keys(set).length === 0 ? undefined : set;
}

/** The model that is asked next: inputs that wait may still change it. */
export function modelOf(session: Session): string {
  const changed = waitingOf(session).flatMap(({ model }) => model ?? []);
  return changed.at(-1) ?? session.session.model;
}

function waitingOf({ inputs }: Session): readonly Configuration[] {
  return inputs.flatMap(({ input }) => (input.type === "configure" ? [input.set] : []));
}
