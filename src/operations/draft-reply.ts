/** A reply while it streams: its parts in order, its calls, and how it ended. */
import type { Contributions } from "../core/contribution.ts";
import type { EffectOf } from "../core/effect.ts";
import type { CallId, MessageId } from "../core/ids.ts";
import { isPlainObject, mapText } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import type { ModelFailure, ModelPart, ModelUsage } from "../core/model.ts";
import type { StepContext } from "../core/operation.ts";
import type { Part, ProviderMetadata } from "../core/part.ts";
import type { Finish } from "../core/session.ts";

type Ended =
  | { readonly type: "reply"; readonly finish: Finish; readonly usage?: ModelUsage }
  | { readonly type: "failure"; readonly failure: ModelFailure; readonly usage?: ModelUsage };

/** A block of the stream that grows by deltas. */
interface Block {
  readonly type: "text" | "reasoning";
  readonly id: string;
  text: string;
  /** How much of the text was shown live. */
  shown: number;
  metadata: ProviderMetadata | undefined;
}

type Piece = Block | Exclude<Part, { type: "text" | "reasoning" | "result" | "error" }>;

/** Takes the stream piece by piece and shows it live. `ended` says `aborted` until the stream has said how it ended. */
export class DraftReply {
  readonly messageId: MessageId;
  readonly #tools: Contributions["tools"];
  readonly #ctx: StepContext;
  readonly #pieces: Piece[] = [];
  readonly #calls: EffectOf<"call.request">[] = [];
  #ended: Ended = { type: "reply", finish: "aborted" };
  #hasBegun = false;

  constructor(messageId: MessageId, tools: Contributions["tools"], ctx: StepContext) {
    this.messageId = messageId;
    this.#tools = tools;
    this.#ctx = ctx;
  }

  get ended(): Ended {
    return this.#ended;
  }

  /** Whether anything of a reply came: from then on the provider counts. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  add(part: ModelPart): void {
    this.#hasBegun ||= part.type !== "failure";
    switch (part.type) {
      case "text-delta":
        return this.#addDelta("text", part);
      case "reasoning-delta":
        return this.#addDelta("reasoning", part);
      case "call-delta":
        return this.#ctx.emit({
          type: "call-delta",
          messageId: this.messageId,
          tool: this.#ctx.clean(part.tool),
          text: this.#ctx.clean(part.text),
        });
      case "call":
        return this.#addCall(part);
      case "provider-call":
        this.#pieces.push({ ...part, args: mapText(part.args, this.#ctx.clean) });
        return;
      case "file":
        this.#pieces.push(part);
        return;
      case "provider-result":
        return this.#addProviderResult(part);
      case "finish":
        this.#ended = { type: "reply", finish: part.reason, ...(part.usage && { usage: part.usage }) };
        return;
      case "failure":
        this.#ended = part;
        return;
      default:
        part satisfies never;
    }
  }

  /** The message's parts in order; calls only if the reply is whole. */
  parts(): readonly Part[] {
    const whole = this.#ended.type === "reply" && this.#ended.finish !== "aborted";
    return this.#pieces.filter((piece) => whole || piece.type !== "call").flatMap((piece) => stored(piece, this.#ctx));
  }

  /** The text that the person has seen, marked as abandoned, for an attempt that failed. */
  shown(): readonly Part[] {
    const text = this.#pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("");
    if (text.trim() === "") return [];
    return [{ type: "text", text: `${this.#ctx.clean(text)}\n[this reply was cut off and abandoned]` }];
  }

  calls(): readonly EffectOf<"call.request">[] {
    return this.#calls;
  }

  #addDelta(type: Block["type"], delta: { id: string; text: string; metadata?: ProviderMetadata }): void {
    const { id, text } = delta;
    let block = this.#pieces.find((piece): piece is Block => piece.type === type && "id" in piece && piece.id === id);
    if (!block) this.#pieces.push((block = { type, id, text: "", shown: 0, metadata: undefined }));
    block.text += text;
    block.metadata = merged(block.metadata, delta.metadata);
    // A delta may end between the two halves of a character; the first half waits for the second.
    const end = /[\uD800-\uDBFF]$/.test(block.text) ? block.text.length - 1 : block.text.length;
    if (end <= block.shown) return;
    const fresh = this.#ctx.clean(block.text.slice(block.shown, end));
    block.shown = end;
    this.#ctx.emit({ type: `${type}-delta`, messageId: this.messageId, text: fresh });
  }

  /** An id that is repeated within one reply is one call. Some servers give none to any call: those are all made. */
  #addCall(part: Extract<ModelPart, { type: "call" }>): void {
    const { clean } = this.#ctx;
    const providerId = clean(part.providerId);
    if (providerId.trim() !== "" && this.#calls.some((call) => call.providerId === providerId)) return;
    const id: CallId = this.#ctx.newId();
    const owned = this.#tools.get(part.tool);
    this.#calls.push({
      type: "call.request",
      id,
      messageId: this.messageId,
      providerId,
      tool: clean(part.tool),
      requested: parsedArgs(part.args, this.#ctx),
      owner: owned?.owner ?? null,
      declaration: owned?.tool.declaration ?? null,
      ...(owned?.tool.server !== undefined && { server: owned.tool.server }),
    });
    this.#pieces.push({ type: "call", callId: id, ...(part.metadata && { metadata: part.metadata }) });
  }

  #addProviderResult(part: Extract<ModelPart, { type: "provider-result" }>): void {
    const at = this.#pieces.findIndex(
      (piece) => piece.type === "provider-call" && piece.providerId === part.providerId,
    );
    const call = this.#pieces[at];
    if (call?.type !== "provider-call") return;
    const result = mapText(part.result, this.#ctx.clean);
    this.#pieces[at] = { ...call, result, ...(part.metadata && { resultMetadata: part.metadata }) };
  }
}

/** Text is cleaned whole, so that a secret cut by two deltas is found. Reasoning with opaque data is sent back as it came. */
function stored(piece: Block | Part, ctx: StepContext): readonly Part[] {
  if (!("id" in piece)) return [piece];
  const { type, text, metadata } = piece;
  if (text === "" && !metadata) return [];
  return [{ type, text: ctx.clean(text), ...(metadata && { metadata }) }];
}

/** An object if the text is one, else the text as it came. An empty text is an empty object: tools without arguments get that. */
function parsedArgs(text: string, ctx: StepContext): JsonObject | string {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return mapText(value as JsonObject, ctx.clean) as JsonObject;
  } catch {
    // What is not JSON is kept as it is, and admission says so to the model.
  }
  return ctx.clean(text);
}

function merged(
  before: ProviderMetadata | undefined,
  added: ProviderMetadata | undefined,
): ProviderMetadata | undefined {
  if (!before || !added) return added ?? before;
  return { provider: added.provider, data: { ...before.data, ...added.data } };
}
