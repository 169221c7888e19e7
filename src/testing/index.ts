/** The test kit: a fake model, a calculator, and stories that run in every mode. */
export { calculatorServer } from "./calculator/entry.ts";
export { startCalculatorHttp } from "./calculator/http.ts";
export type { CalculatorHttp } from "./calculator/http.ts";
export { calculatorEffects } from "./calculator/journal.ts";
export type { CalculatorEffect } from "./calculator/journal.ts";
export type { Hold } from "./fake-model/hold.ts";
export { call, Content, Fault, HoldPoint, reasoning, Reply, Stop, text, Usage, webSearch } from "./fake-model/reply.ts";
export type { Answer, Matcher, MessageOptions, RuleBuilder } from "./fake-model/rules.ts";
export {
  fakeModelScript,
  fakeModelScriptJsonSchema,
  FakeModelScriptError,
  parseFakeModelScript,
  startFakeModelFromScript,
} from "./fake-model/script.ts";
export type { FakeModelScript } from "./fake-model/script.ts";
export type { Protocol, Refusal, SeenMessage, SeenRequest, SeenToolCall, SeenToolResult } from "./fake-model/seen.ts";
export { FakeModelError, startFakeModel } from "./fake-model/server.ts";
export type { FakeModel, FakeModelOptions } from "./fake-model/server.ts";
export type { Agent, Approval, ModeName, Running, WhichCall } from "./story/agent.ts";
export { createGate } from "./story/gate.ts";
export type { Gate } from "./story/gate.ts";
export { handMadeTool } from "./story/hand-made-tool.ts";
export type { HandMadeTool } from "./story/hand-made-tool.ts";
export type { Cut } from "./story/killed-machine.ts";
export { storyModes } from "./story/modes.ts";
export type { CutPoint } from "./story/mortal-store.ts";
export type { StoryOptions } from "./story/options.ts";
export type { Props } from "./story/props.ts";
export { StandingCheckError } from "./story/standing-checks.ts";
export { story } from "./story/story.ts";
export type { Story, StoryMode } from "./story/story.ts";
export { transcript } from "./story/transcript.ts";
export type { TranscriptOptions } from "./story/transcript.ts";
export { createVirtualClock } from "./story/virtual-clock.ts";
export type { VirtualClock } from "./story/virtual-clock.ts";
