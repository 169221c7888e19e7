/** Collects tool output within bounds: what is too large for a message goes to an artifact, head and tail stay. */
import type { ArtifactId, CallId, SessionId } from "../core/ids.ts";
import type { StepContext } from "../core/operation.ts";
import type { Artifacts } from "../core/store.ts";
import type { OutputCollector } from "../core/tool.ts";

/** Output beyond this many UTF-16 units is kept as an artifact. */
export const INLINE_UNITS = 64 * 1024;
/** How much of either end of large output the message holds. */
const END_UNITS = 8 * 1024;
/** A line longer than this is passed on in pieces, each without its end: a secret may have begun there. */
const LINE_UNITS = 8 * 1024;
const HELD_UNITS = 4 * 1024;

/** Where the output of one call goes. */
export interface OutputPlace {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly artifacts: Artifacts;
}

/** Text is cleaned line by line, so that a secret cut by two writes is still found. */
export function createCollector(
  { sessionId, callId, artifacts }: OutputPlace,
  ctx: Pick<StepContext, "clean" | "emit" | "newId">,
): OutputCollector & { readonly artifact: ArtifactId | undefined } {
  let line = "";
  /** The whole as long as there is no artifact, then its two ends. */
  let head = "";
  let tail = "";
  let size = 0;
  let artifact: ArtifactId | undefined;
  const spill = (text: string): void => {
    if (artifact !== undefined) {
      artifacts.write(sessionId, artifact, callId, text);
      tail = (tail + text).slice(-2 * END_UNITS);
      return;
    }
    head += text;
    if (size <= INLINE_UNITS) return;
    artifact = ctx.newId<ArtifactId>();
    artifacts.write(sessionId, artifact, callId, head);
    tail = head.slice(-2 * END_UNITS);
    head = head.slice(0, 2 * END_UNITS);
  };
  const add = (text: string): void => {
    ctx.emit({ type: "tool-output", callId, text });
    size += text.length;
    spill(text);
  };
  return {
    get artifact() {
      return artifact;
    },
    write(text) {
      line += text;
      const end = line.lastIndexOf("\n") + 1;
      if (end > 0) add(ctx.clean(line.slice(0, end)));
      line = line.slice(end);
      if (line.length <= LINE_UNITS) return;
      const known = cleanSoFar(line, ctx);
      const passed = cutEnd(known, known.length - HELD_UNITS);
      add(passed);
      line = known.slice(passed.length);
    },
    finish() {
      if (line !== "") add(ctx.clean(line));
      line = "";
      if (artifact === undefined) return { text: head };
      return { text: abridged({ head, tail, size, artifact }), artifact };
    },
  };
}

/** Of a text that goes on: half of a character at its end waits for the other half. */
function cleanSoFar(text: string, ctx: Pick<StepContext, "clean">): string {
  const whole = cutEnd(text, text.length);
  return ctx.clean(whole) + text.slice(whole.length);
}

function abridged(output: {
  readonly head: string;
  readonly tail: string;
  readonly size: number;
  readonly artifact: ArtifactId;
}): string {
  const head = cutEnd(output.head, END_UNITS);
  const tail = cutStart(output.tail, END_UNITS);
  const left = output.size - head.length - tail.length;
  return `${head}\n[… ${left} of ${output.size} characters are not shown; read them with read {"path": "artifact:${output.artifact}"} …]\n${tail}`;
}

/** Never between the two halves of a character. */
function cutEnd(text: string, units: number): string {
  const cut = text.slice(0, units);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function cutStart(text: string, units: number): string {
  const cut = text.slice(-units);
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut;
}
