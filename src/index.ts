/** The library: the engine, its operations, its runner and the app that composes them. It loads no database driver and no provider. */
export { createApp } from "./app.ts";
export type { App, AppOptions } from "./app.ts";
export { AppendLog } from "./core/append-log.ts";
export type { Call, CallProcess, CallStatus, Decision, FinalCallStatus } from "./core/call.ts";
export type { Clock } from "./core/clock.ts";
export { createHasher } from "./core/content.ts";
export type { Hasher, Sha256 } from "./core/content.ts";
export type { Contribution, Contributions, OwnedTool } from "./core/contribution.ts";
export { Effect } from "./core/effect.ts";
export type { EffectOf, EffectType } from "./core/effect.ts";
export { Entry } from "./core/entry.ts";
export type { CommitEntry, Draft, InputEntry } from "./core/entry.ts";
export { BatchError, ErrorKind, FencedError, InputError, StoreError, UsageError } from "./core/error.ts";
export type { LiveEvent } from "./core/event.ts";
export { emptySession, fold } from "./core/fold.ts";
export { ArtifactId, CallId, InputId, MessageId, QuestionId, SessionId, TimerId, TurnId } from "./core/ids.ts";
export type { NewId } from "./core/ids.ts";
export { Input } from "./core/input.ts";
export type { Configuration, InputKind, InputOf, Limits, Mode, PendingInput } from "./core/input.ts";
export { InvariantError } from "./core/invariant.ts";
export type { JsonObject, JsonValue } from "./core/json.ts";
export { Lifecycle, lifecycleOf } from "./core/lifecycle.ts";
export { MessageKind, textOf } from "./core/message.ts";
export type { Message, NewMessage } from "./core/message.ts";
export type {
  AssistantContent,
  FinishReason,
  Model,
  ModelFailure,
  ModelMessage,
  ModelPart,
  ModelRequest,
  Models,
  ModelUsage,
} from "./core/model.ts";
export { modelView } from "./core/model-view.ts";
export { claim, defineOperation, pass } from "./core/operation.ts";
export type {
  Answer,
  Command,
  CommandContext,
  Operation,
  OperationDefinition,
  SliceName,
  StepContext,
  View,
} from "./core/operation.ts";
export type { Outcome, TurnOutcome } from "./core/outcome.ts";
export type { Part, ResultContent } from "./core/part.ts";
export { createPipeline } from "./core/pipeline.ts";
export type { Pipeline } from "./core/pipeline.ts";
export { outcomeOf } from "./core/rest.ts";
export type { Session, SessionInfo, Turn } from "./core/session.ts";
export { explain, step } from "./core/step.ts";
export type { Claimed, Commit, Explanation, StepHost, StepResult } from "./core/step.ts";
export type { Store } from "./core/store.ts";
export type {
  HostedTool,
  OutputCollector,
  Tool,
  ToolContext,
  ToolDeclaration,
  ToolHost,
  ToolResult,
  ToolSpec,
} from "./core/tool.ts";
export type { RunnerPorts, RunOptions } from "./driver.ts";
export { standardPipeline } from "./operations/pipeline.ts";
export type { PipelinePorts } from "./operations/pipeline.ts";
export { run } from "./runner.ts";
export type { RunResult } from "./runner.ts";
export type { Explained, Listener, NewInput, NewSession, RunReport, Sessions } from "./sessions.ts";
export type { Pending, Report } from "./report.ts";
