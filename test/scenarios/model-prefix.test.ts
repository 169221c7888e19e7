/** What providers cache is a prefix: two requests with nothing relevant changed begin with the same bytes. */
import { expect } from "vitest";
import type { SeenRequest } from "../../src/testing/index.ts";
import { story } from "../story.ts";

/** System prompt, tools and messages as text, without the marks that only say up to where to cache. */
function partsOf({ rawBody }: SeenRequest): { readonly head: string; readonly messages: readonly string[] } {
  const unmarked = JSON.parse(rawBody, (key, value: unknown) => (key === "cache_control" ? undefined : value)) as {
    readonly system?: unknown;
    readonly tools?: unknown;
    readonly messages: readonly { readonly role: string }[];
  };
  const isSystem = ({ role }: { readonly role: string }) => role === "system";
  return {
    head: JSON.stringify([unmarked.system, unmarked.tools, unmarked.messages.filter(isSystem)]),
    messages: unmarked.messages.filter((message) => !isSystem(message)).map((message) => JSON.stringify(message)),
  };
}

const skill = "---\nname: tidy\ndescription: How to tidy up.\n---\nBegin at the top.\n";

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `system prompt and tools are the same in all requests of a session, and each continues the one before, on ${protocol}`,
    async (agent) => {
      agent.model.on("one").calls("calculator__total");
      agent.model.on("0").calls("list", { path: "." });
      agent.model.on("notes.txt").replies("Zero notes.");
      agent.model.on("two").fails({ status: 503 });
      agent.model.on("two").calls("load_skill", { name: "tidy" });
      agent.model.on("Begin").replies("From the top, then.");
      agent.model.on("three").replies("Done.");
      await agent.prompt("one");
      await agent.prompt("two");
      await agent.configure({ mode: "plan", title: "another" });
      await agent.prompt("three");
      const told = (await agent.transcript()).replaceAll(protocol, "<provider>");
      expect(told).toMatchInlineSnapshot(`
        "user      one
        assistant → calculator__total {}
        result    calculator__total ok: 0
        assistant → list {"path":"."}
        result    list ok: notes.txt  5 bytes
        assistant Zero notes.
        outcome   completed
        user      two
        error     (user only) (model_overloaded) <provider> answered 503: The fake model fails as its script says
        notice    (user only) The model request failed: <provider> answered 503: The fake model fails as its script says. Attempt 2 of 4 follows in 1 s, at <time>.
        assistant → load_skill {"name":"tidy"}
        result    load_skill ok: Skill "tidy", in the folder <home>/.dacapo/skills/tidy:
                  
                  Begin at the top.
        assistant From the top, then.
        outcome   completed
        user      three
        assistant Done.
        outcome   completed"
      `);
      const requests = agent.requests().map(partsOf);
      expect(new Set(requests.map(({ head }) => head)).size).toBe(1);
      for (const [at, { messages }] of requests.entries()) {
        const before = requests[at - 1]?.messages ?? [];
        expect(messages.slice(0, before.length)).toEqual(before);
      }
      agent.model.assertNothingLeft();
    },
    {
      protocol,
      calculator: "trusted",
      cuts: 2,
      files: { "notes.txt": "none\n" },
      home: { ".dacapo/skills/tidy/SKILL.md": skill },
    },
  );
}

story(
  "the reminder of a low budget comes last and leaves the prefix as it was",
  async (agent) => {
    agent.model.on("one").calls("calculator__total");
    agent.model.otherwise().replies("Zero.");
    await agent.prompt("one");
    const [first, second] = agent.requests().map(partsOf);
    expect(second?.head).toBe(first?.head);
    expect(first?.head).not.toContain("model calls are left");
    expect(agent.requests().map(({ messages }) => messages.at(-1)?.text)).toMatchInlineSnapshot(`
      [
        "one
      2 of 2 model calls are left in this turn, this one included: come to an end.",
        "This is the last model call of this turn: answer now. Tool calls would still run, but you would not see their results.",
      ]
    `);
  },
  { calculator: "trusted", limits: { inferences: 2 }, cuts: 3 },
);
