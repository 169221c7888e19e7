/** The rules "when the model sees X, it answers Y", and the words in which a test writes them. */
import { createHold, type HeldReply, type Hold } from "./hold.ts";
import {
  call,
  text,
  type CallContent,
  type Content,
  type HoldPoint,
  type HttpErrorReply,
  type MessageReply,
  type Reply,
} from "./reply.ts";
import type { SeenRequest } from "./seen.ts";

/** A text the newest message contains, a pattern it matches, or a question about the whole request. */
export type Matcher = string | RegExp | ((request: SeenRequest) => boolean);

/** Everything about a message reply but what it says. */
export type MessageOptions = Omit<MessageReply, "type" | "content">;

/** A rule that has its reply. */
export interface Answer {
  /** Makes the reply wait; without a point, before a byte is sent. */
  hold(point?: HoldPoint): Hold;
}

/** A rule that still lacks its reply; every method but `times` and `always` gives it one. */
export interface RuleBuilder {
  /** How many requests the rule answers: one if not said. */
  times(count: number): RuleBuilder;
  /** The rule answers as many requests as come, and need not be used at all. */
  always(): RuleBuilder;
  replies(said: string | string[], options?: MessageOptions): Answer;
  calls(name: string, input?: CallContent["input"], options?: MessageOptions): Answer;
  /** A reply of several pieces, in order; `[]` is the empty reply. */
  says(content: Content[], options?: MessageOptions): Answer;
  fails(error: Omit<HttpErrorReply, "type">): Answer;
  /** Any reply, as data. */
  answers(reply: Reply): Answer;
}

export interface Rule {
  readonly when: Matcher;
  /** How many more requests it answers. */
  left: number;
  reply: Reply | undefined;
  hold: HeldReply | undefined;
}

export interface RuleBook {
  add(when: Matcher): RuleBuilder;
  /** The number, from 0, of the first rule with a use left that matches. */
  match(request: SeenRequest): number | undefined;
  /** The rule of a number; it has one use less afterwards. */
  take(number: number): Rule | undefined;
  /** One line for each rule that should still be used. */
  leftovers(): string[];
  /** One line for each rule, used up or not. */
  describe(): string[];
  releaseAll(): void;
}

export function createRuleBook(): RuleBook {
  const rules: Rule[] = [];
  return {
    add(when) {
      const rule: Rule = { when, left: 1, reply: undefined, hold: undefined };
      rules.push(rule);
      return ruleBuilder(rule);
    },
    match(request) {
      const number = rules.findIndex(
        (candidate) => candidate.left > 0 && candidate.reply !== undefined && matches(candidate.when, request),
      );
      return number === -1 ? undefined : number;
    },
    take(number) {
      const rule = rules[number];
      if (rule !== undefined) rule.left -= 1;
      return rule;
    },
    leftovers: () => rules.filter((rule) => rule.left > 0 && Number.isFinite(rule.left)).map(ruleLine),
    describe: () => rules.map(ruleLine),
    releaseAll() {
      for (const rule of rules) rule.hold?.release();
    },
  };
}

/** The vocabulary around one rule, shared by `on` and `otherwise`. */
export function ruleBuilder(rule: Rule): RuleBuilder {
  const answers = (reply: Reply): Answer => {
    rule.reply = reply;
    return {
      hold(point = { after: "request" }) {
        rule.hold = createHold(point);
        return rule.hold;
      },
    };
  };
  const builder: RuleBuilder = {
    times(count) {
      if (!Number.isInteger(count) || count < 1)
        throw new RangeError(`times(${count}): expected a whole number of at least 1`);
      rule.left = count;
      return builder;
    },
    always() {
      rule.left = Infinity;
      return builder;
    },
    replies: (said, options) => answers({ type: "message", content: [text(said)], ...options }),
    calls: (name, input, options) => answers({ type: "message", content: [call(name, input)], ...options }),
    says: (content, options) => answers({ type: "message", content, ...options }),
    fails: (error) => answers({ type: "http-error", ...error }),
    answers,
  };
  return builder;
}

function matches(when: Matcher, request: SeenRequest): boolean {
  if (typeof when === "string") return request.newest.includes(when);
  if (typeof when === "function") return when(request);
  // A fresh copy, because a pattern with the g or y flag remembers where it last matched.
  return new RegExp(when).test(request.newest);
}

function ruleLine(rule: Rule): string {
  const when =
    typeof rule.when === "string"
      ? JSON.stringify(rule.when)
      : rule.when instanceof RegExp
        ? String(rule.when)
        : "(predicate)";
  const uses = rule.left === Infinity ? "always" : rule.left === 0 ? "used up" : `${rule.left} left`;
  return `on ${when} -> ${rule.reply === undefined ? "no reply given" : replyLine(rule.reply)} [${uses}]`;
}

function replyLine(reply: Reply): string {
  const line = JSON.stringify(reply);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
