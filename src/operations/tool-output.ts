/** Keeps tool output within bounds: what is too large for a message goes to an artifact, head and tail stay. */
import type { ArtifactId, CallId, SessionId } from "../core/ids.ts";
import { mapText } from "../core/json.ts";
import type { StepContext } from "../core/operation.ts";
import type { ResultContent } from "../core/part.ts";
import type { Artifacts } from "../core/store.ts";
import type { OutputCollector, ToolResult } from "../core/tool.ts";

/** Output beyond this many UTF-16 units is kept as an artifact. */
const INLINE_UNITS = 64 * 1024;
/** How much of either end of large output the message holds. */
const END_UNITS = 8 * 1024;
/** A line longer than this is passed on in pieces. */
const LINE_UNITS = 8 * 1024;

/** Where the output of one call goes. */
export interface OutputPlace {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly artifacts: Artifacts;
}

/** Text is cleaned line by line, so that a secret cut by two writes is still found. */
export function createCollector(
  place: OutputPlace,
  ctx: Pick<StepContext, "newId" | "clean" | "emit">,
): OutputCollector & { readonly artifact: ArtifactId | undefined } {
  let line = "";
  let head = "";
  let tail = "";
  let size = 0;
  let artifact: ArtifactId | undefined;
  const add = (raw: string): void => {
    const text = ctx.clean(raw);
    ctx.emit({ type: "tool-output", callId: place.callId, text });
    size += text.length;
    if (artifact === undefined && size > INLINE_UNITS) {
      artifact = ctx.newId<ArtifactId>();
      place.artifacts.write(place.sessionId, artifact, place.callId, head);
    }
    if (artifact === undefined) {
      head += text;
      return;
    }
    place.artifacts.write(place.sessionId, artifact, place.callId, text);
    tail = (tail + text).slice(-2 * END_UNITS);
  };
  return {
    get artifact() {
      return artifact;
    },
    write(text) {
      const whole = line + text;
      const end = whole.lastIndexOf("\n") + 1 || (whole.length > LINE_UNITS ? whole.length : 0);
      line = whole.slice(end);
      if (end > 0) add(whole.slice(0, end));
    },
    finish() {
      if (line !== "") add(line);
      line = "";
      if (artifact === undefined) return { text: head };
      return { text: abridged({ head, tail: head + tail, size, artifact }), artifact };
    },
  };
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

/** A tool's result as it may be stored: cleaned, bounded, and never without a word for the model. */
export function bounded(result: ToolResult, place: OutputPlace, ctx: StepContext): ToolResult {
  const artifacts = [...(result.artifacts ?? [])];
  const content = result.content.map((piece): ResultContent => {
    if (piece.type === "file") return piece;
    const text = piece.type === "text" ? piece.text : JSON.stringify(piece.value);
    if (text.length <= INLINE_UNITS) {
      return piece.type === "text"
        ? { ...piece, text: ctx.clean(text) }
        : { ...piece, value: mapText(piece.value, ctx.clean) };
    }
    const collector = createCollector(place, { newId: ctx.newId, clean: ctx.clean, emit: () => undefined });
    collector.write(text);
    const kept = collector.finish();
    if (kept.artifact) artifacts.push(kept.artifact);
    return { type: "text", text: kept.text, ...(piece.audience && { audience: piece.audience }) };
  });
  const forModel = content.some((piece) => piece.audience?.model ?? true);
  return {
    ...result,
    content: forModel
      ? content
      : [...content, { type: "text", text: "The tool returned nothing.", audience: { user: false, model: true } }],
    artifacts,
  };
}
