/** Effects: the closed union of what may change in a session. They are data; `fold` says what each one means. */
import { z } from "zod";
import { CallProcess, Decision, FinalCallStatus } from "./call.ts";
import { ArtifactId, CallId, InputId, MessageId, QuestionId, TimerId, TurnId } from "./ids.ts";
import { Configuration, Limits, Mode } from "./input.ts";
import { JsonObject, JsonValue } from "./json.ts";
import { NewMessage } from "./message.ts";
import { TurnOutcome } from "./outcome.ts";
import { Finish, Grant, Question, Timer } from "./session.ts";
import { ToolDeclaration } from "./tool.ts";

/** What a reply answered: enough to build that request again. Each member is stored once, however often it is sent. */
const RequestParts = z
  .object({
    system: z.string(),
    tools: z
      .array(z.object({ name: z.string(), description: z.string(), inputSchema: JsonObject }).readonly())
      .readonly(),
    /** Absent if there was none. */
    attention: z.array(z.string()).readonly().optional(),
  })
  .readonly();

/** Beside the message of a reply: which model gave it, how it ended, what it was asked with. */
const ReplyInfo = z.object({ model: z.string(), finish: Finish, request: RequestParts }).readonly();

const tokens = z.number().nonnegative();

/**
 * One declared change of a session. Operations yield them, `fold` alone says what each means, the journal keeps them as they were
 * yielded, and frontends read them to tell what happened.
 */
export const Effect = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("session.create"),
      workspace: z.string(),
      title: z.string().optional(),
      model: z.string(),
      mode: Mode,
      limits: Limits,
    })
    .readonly(),
  z.object({ type: z.literal("session.set"), set: Configuration }).readonly(),
  z
    .object({
      type: z.literal("turn.start"),
      id: TurnId,
      inputId: InputId.optional(),
      /** The ended turn that this one goes on with: its counters carry over. */
      continues: TurnId.optional(),
    })
    .readonly(),
  z.object({ type: z.literal("turn.end"), outcome: TurnOutcome }).readonly(),
  /** `by` names the author of an input; absent, the operation is the author. */
  z
    .object({
      type: z.literal("message.append"),
      message: NewMessage,
      by: z.string().optional(),
      reply: ReplyInfo.optional(),
    })
    .readonly(),
  z
    .object({
      type: z.literal("call.request"),
      id: CallId,
      messageId: MessageId,
      providerId: z.string(),
      tool: z.string(),
      requested: z.union([JsonObject, z.string()]),
      owner: z.string().nullable(),
      server: z.string().optional(),
      declaration: ToolDeclaration.nullable(),
    })
    .readonly(),
  /** With the final arguments, and with tool, owner and declaration where the name was repaired. */
  z
    .object({
      type: z.literal("call.admit"),
      id: CallId,
      args: JsonObject,
      hash: z.string(),
      subject: z.string().optional(),
      edited: z.boolean().optional(),
      repaired: z
        .object({
          tool: z.string(),
          owner: z.string(),
          server: z.string().optional(),
          declaration: ToolDeclaration,
        })
        .readonly()
        .optional(),
    })
    .readonly(),
  z.object({ type: z.literal("call.ask"), id: CallId, reason: z.string() }).readonly(),
  z.object({ type: z.literal("call.decide"), id: CallId, decision: Decision }).readonly(),
  z
    .object({
      type: z.literal("call.dispatch"),
      id: CallId,
      epoch: z.number().int(),
      /** Of a dispatch that goes on: the process that now runs it. */
      process: CallProcess.optional(),
    })
    .readonly(),
  z.object({ type: z.literal("call.wait"), id: CallId, questionId: QuestionId }).readonly(),
  /** In the same commit as the result message that it names. */
  z
    .object({
      type: z.literal("call.settle"),
      id: CallId,
      status: FinalCallStatus,
      messageId: MessageId,
      decision: Decision.optional(),
    })
    .readonly(),
  z.object({ type: z.literal("input.consume"), id: InputId }).readonly(),
  z.object({ type: z.literal("input.hold"), id: InputId, held: z.boolean() }).readonly(),
  z.object({ type: z.literal("question.open"), question: Question }).readonly(),
  z.object({ type: z.literal("question.close"), id: QuestionId }).readonly(),
  z.object({ type: z.literal("timer.set"), timer: Timer }).readonly(),
  z.object({ type: z.literal("timer.clear"), id: TimerId }).readonly(),
  z
    .object({
      type: z.literal("note.set"),
      operation: z.string(),
      version: z.number().int(),
      /** null takes the note away. */
      data: JsonValue,
    })
    .readonly(),
  z
    .object({
      type: z.literal("usage.add"),
      model: z.string(),
      inputTokens: tokens,
      outputTokens: tokens,
      cachedInputTokens: tokens,
      cacheWriteTokens: tokens,
      cost: tokens.nullable(),
    })
    .readonly(),
  z.object({ type: z.literal("artifact.link"), id: ArtifactId, callId: CallId }).readonly(),
  z.object({ type: z.literal("grant.add"), grant: Grant }).readonly(),
]);
export type Effect = z.infer<typeof Effect>;
export type EffectType = Effect["type"];

type ByType = { [T in EffectType]: Extract<Effect, { type: T }> };
/** The effects of some types. A mapped type: `Extract` over a parameter would make operations invariant. */
export type EffectOf<W extends EffectType> = { [T in W]: ByType[T] }[W];
