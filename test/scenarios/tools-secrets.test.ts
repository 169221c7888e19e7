/** Secrets in what tools return: nowhere in the journal, what is shown, what is exported or what the model gets. */
import { afterAll, expect } from "vitest";
import type { ToolContext } from "../../src/core/tool.ts";
import { call, handMadeTool, startCalculatorHttp } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { resultsSent, SAFE } from "./tool-kit.ts";

const server = await startCalculatorHttp();
afterAll(() => server.close());

const SERVER_TOKEN = "server-token-12345";
const DEPLOY_KEY = "deploy+key/with.odd*characters=";
const PROVIDER_KEY = "sk-ant-story-0123456789";
const environment = { DEPLOY_KEY, FILES_TOKEN: SERVER_TOKEN };
const secrets = [SERVER_TOKEN, DEPLOY_KEY, PROVIDER_KEY];

/** Writes a secret in two halves, with and without a line that ends, and more than a message holds. */
function writesHalves(_args: unknown, ctx: ToolContext) {
  const collector = ctx.collector();
  const [left, right] = [DEPLOY_KEY.slice(0, 10), DEPLOY_KEY.slice(10)];
  collector.write(`short ${left}`);
  collector.write(`${right}\n`);
  collector.write(`${"x".repeat(9_000)}${left}`);
  collector.write(`${right}${"y".repeat(9_000)}😀`.slice(0, -1));
  collector.write(`\ude00${"z".repeat(60_000)}${PROVIDER_KEY}`);
  const { text, artifact } = collector.finish();
  return { content: [{ type: "text" as const, text }], ...(artifact && { artifacts: [artifact] }) };
}

story(
  "a secret in a result, an error, a progress or an argument is replaced by its name",
  async (agent) => {
    agent.model
      .on("go")
      .says([
        call("read", { path: ".env" }),
        call("grep", { pattern: "KEY" }),
        call("bash", { command: "cat .env >&2; cat .env; exit 1" }),
        call("tells"),
        call("throws"),
        call("calculator__fail", { message: `wrong key ${PROVIDER_KEY}` }),
        call("write", { path: "copy.txt", content: `${DEPLOY_KEY}\n` }),
        call("nowhere", { [DEPLOY_KEY]: SERVER_TOKEN }, { rawInput: `{"x": "${SERVER_TOKEN}` }),
      ]);
    agent.model.on("redacted").replies(["The keys are ", PROVIDER_KEY, " and ", DEPLOY_KEY, "."]);
    agent.model.on("next").replies("Yes.");
    await agent.prompt("go");
    await agent.prompt("next");
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      go
      assistant → read {"path":".env"}
                → grep {"pattern":"KEY"}
                → bash {"command":"cat .env >&2; cat .env; exit 1"}
                → tells {}
                → throws {}
                → calculator__fail {"message":"wrong key [redacted:ANTHROPIC_API_KEY]"}
                → write {"content":"[redacted:DEPLOY_KEY]\\n","path":"copy.txt"}
                → nowhere (raw) {"x": "[redacted:FILES_TOKEN]
      result    read ok: 1	DEPLOY_KEY=[redacted:DEPLOY_KEY]
                2	TOKEN=[redacted:FILES_TOKEN]
                3	SHORT=x
      result    grep ok: .env:1: DEPLOY_KEY=[redacted:DEPLOY_KEY]
      result    bash failed(tool_failed): DEPLOY_KEY=[redacted:DEPLOY_KEY]
                TOKEN=[redacted:FILES_TOKEN]
                SHORT=x
                DEPLOY_KEY=[redacted:DEPLOY_KEY]
                TOKEN=[redacted:FILES_TOKEN]
                SHORT=x
                [exit code 1]
      result    tells ok: {"[redacted:FILES_TOKEN]":["[redacted:ANTHROPIC_API_KEY]",{"deep":"[redacted:DEPLOY_KEY]"}]}
      result    throws failed(tool_failed): The tool throws broke: 401 for [redacted:FILES_TOKEN]
      result    calculator__fail failed(tool_failed): wrong key [redacted:ANTHROPIC_API_KEY]
      result    write ok: Created copy.txt (22 bytes).
      result    nowhere failed(tool_unavailable): The tool "nowhere" is not available. Tools you can call: bash, calculator__add, calculator__ask, calculator__audience, calculator__barrier, calculator__big, calculator__binary, calculator__crash, calculator__divide, calculator__fail, calculator__grow, calculator__hang, calculator__image, calculator__links, calculator__lone_surrogate, calculator__multiply, calculator__nothing, calculator__repeat, calculator__reset, calculator__roots, calculator__slow, calculator__subtract, calculator__total, calculator__user_only, edit, files__add, files__ask, files__audience, files__barrier, files__big, files__binary, files__crash, files__divide, files__fail, files__grow, files__hang, files__image, files__links, files__lone_surrogate, files__multiply, files__nothing, files__repeat, files__reset, files__roots, files__slow, files__subtract, files__total, files__user_only, glob, grep, list, read, tells, throws, write.
      assistant The keys are [redacted:ANTHROPIC_API_KEY] and [redacted:DEPLOY_KEY].
      outcome   completed
      user      next
      assistant Yes.
      outcome   completed"
    `);
    for (const { rawBody } of agent.requests())
      expect(secrets.filter((secret) => rawBody.includes(secret))).toEqual([]);
  },
  {
    environment,
    files: { ".env": `DEPLOY_KEY=${DEPLOY_KEY}\nTOKEN=${SERVER_TOKEN}\nSHORT=x\n` },
    calculator: "trusted",
    mcpServers: { files: { ...server.entry, headers: { authorization: "Bearer ${FILES_TOKEN}" } } },
    tools: () => [
      handMadeTool({
        ...SAFE,
        name: "tells",
        run: (_args, ctx) => {
          ctx.progress(1, 2, `using ${DEPLOY_KEY}`);
          return { content: [{ type: "json", value: { [SERVER_TOKEN]: [PROVIDER_KEY, { deep: DEPLOY_KEY }] } }] };
        },
      }),
      handMadeTool({
        ...SAFE,
        name: "throws",
        run: () => {
          throw new Error(`401 for ${SERVER_TOKEN}`);
        },
      }),
    ],
    cuts: 1,
  },
);

story(
  "a secret that is written in two halves is in no artifact",
  async (agent) => {
    agent.model.on("go").calls("halves");
    agent.model.on("not shown").replies("Long.");
    await agent.prompt("go");
    const artifact = /artifact:[A-Za-z0-9_-]+/.exec(resultsSent(agent)[0] ?? "")?.[0];
    agent.model
      .on("more")
      .says([1, 2, 3, 4, 5].map((at) => call("read", { path: artifact ?? "", offset: at * 10 - 9, limit: 10 })));
    agent.model.on("redacted").replies("I see.");
    await agent.prompt("more");
    const read = resultsSent(agent)
      .slice(1)
      .join("\n")
      .replaceAll(/^\d+\t|\n\[.*$/gm, "")
      .replaceAll(/\n/g, "");
    const redacted = "[redacted:DEPLOY_KEY]";
    const whole = `short ${redacted}${"x".repeat(9_000)}${redacted}${"y".repeat(9_000)}😀${"z".repeat(60_000)}[redacted:ANTHROPIC_API_KEY]`;
    expect([read.length, read === whole]).toEqual([whole.length, true]);
  },
  { environment, tools: () => [handMadeTool({ ...SAFE, name: "halves", run: writesHalves })], cuts: 1 },
);

const HEADER_TOKEN = "written-into-the-file-4711";

story(
  "a secret that stands in the MCP configuration alone is taken out of what the person says, before anything runs",
  async (agent) => {
    agent.model.on("redacted").replies("I see.");
    await agent.queue(`my token is ${HEADER_TOKEN}`);
    expect(JSON.stringify(await agent.entries())).not.toContain(HEADER_TOKEN);
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      my token is [redacted:authorization]
      assistant I see.
      outcome   completed"
    `);
  },
  { mcpServers: { files: { ...server.entry, headers: { authorization: `Bearer ${HEADER_TOKEN}` } } }, cuts: 1 },
);
