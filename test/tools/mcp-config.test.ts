import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../src/core/error.ts";
import { loadMcpConfig } from "../../src/tools/mcp/config.ts";
import { folder } from "./mcp-kit.ts";

function fileWith(content: unknown): string {
  const path = join(folder(), "mcp.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

test("a configuration gives its servers with variables expanded, disabled ones left out and folders resolved", async () => {
  const path = fileWith({
    mcpServers: {
      files: {
        command: "npx",
        args: ["server", "${DIR}"],
        env: { LEVEL: "$${literal}", API_KEY: "${KEY}" },
        cwd: "sub",
      },
      web: { url: "https://${HOST}/mcp", headers: { Authorization: "Bearer ${WEB_TOKEN}" }, timeoutSeconds: 5 },
      off: { command: "x", args: ["${NOT_SET}"], disabled: true },
    },
  });
  const env = { DIR: "/data", KEY: "key-12345678", HOST: "example.com", WEB_TOKEN: "token-12345678" };
  expect(await loadMcpConfig(path, env)).toEqual({
    servers: {
      files: {
        command: "npx",
        args: ["server", "/data"],
        env: { LEVEL: "${literal}", API_KEY: "key-12345678" },
        cwd: join(path, "..", "sub"),
      },
      web: { url: "https://example.com/mcp", headers: { Authorization: "Bearer token-12345678" }, timeoutSeconds: 5 },
    },
    secrets: {
      API_KEY: "key-12345678",
      KEY: "key-12345678",
      Authorization: "token-12345678",
      WEB_TOKEN: "token-12345678",
    },
  });
});

const mistakes: readonly [string, unknown, RegExp][] = [
  ["is not JSON", "{", /mcp\.json is not JSON: .* Correct the file/],
  ["has another shape", { servers: {} }, /mcp\.json: .*unknown key "servers"\. The file must be/],
  [
    "has an unknown key",
    { mcpServers: { a: { command: "x", arg: [] } } },
    /mcp\.json: MCP server "a": unknown key "arg"\. The known keys are command, /,
  ],
  ["has a wrong type", { mcpServers: { a: { command: "x", args: "y" } } }, /MCP server "a": "args": .*expected array/],
  ["has neither command nor url", { mcpServers: { a: {} } }, /MCP server "a": give either "command"/],
  ["has both command and url", { mcpServers: { a: { command: "x", url: "http://y" } } }, /not both and not none/],
  [
    "has a key of the other kind",
    { mcpServers: { a: { url: "http://y", cwd: "/" } } },
    /"cwd" has no meaning beside "url"/,
  ],
  [
    "has a bad name",
    { mcpServers: { "my server": { command: "x" } } },
    /MCP server "my server": a server name is 1 to 32/,
  ],
  [
    "has a bad address",
    { mcpServers: { a: { url: "ftp://y" } } },
    /"url" is "ftp:\/\/y", which is not an http or https address/,
  ],
  [
    "uses an unset variable",
    { mcpServers: { a: { command: "x", env: { K: "${NOPE}" } } } },
    /MCP server "a": the environment variable NOPE is not set/,
  ],
  [
    "uses another syntax",
    { mcpServers: { a: { command: "x", args: ["${A:-b}"] } } },
    /"\$\{A:-b\}" is not a variable\. Write \$\{NAME\}, or \$\$\{/,
  ],
];

test.each(mistakes)(
  "a configuration that %s is refused with the place and the next move",
  async (_what, content, message) => {
    const error: unknown = await loadMcpConfig(fileWith(content), {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(message);
  },
);

test("a configuration that does not exist is refused with its path", async () => {
  await expect(loadMcpConfig("/no/such/mcp.json")).rejects.toThrow(/\/no\/such\/mcp\.json cannot be read .*ENOENT/);
});
