/** The fake model server of the test kit: a provider on a loopback port that answers by rules. */
export type { Hold } from "./hold.ts";
export { call, Content, Fault, HoldPoint, reasoning, Reply, Stop, text, Usage, webSearch } from "./reply.ts";
export type { Answer, Matcher, MessageOptions, RuleBuilder } from "./rules.ts";
export {
  fakeModelScript,
  fakeModelScriptJsonSchema,
  FakeModelScriptError,
  parseFakeModelScript,
  startFakeModelFromScript,
  type FakeModelScript,
} from "./script.ts";
export type { Protocol, Refusal, SeenMessage, SeenRequest, SeenToolCall, SeenToolResult } from "./seen.ts";
export { FakeModelError, startFakeModel, type FakeModel } from "./server.ts";
