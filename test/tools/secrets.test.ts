import { expect, test } from "vitest";
import { redactor, secretsOf, withoutSecrets } from "../../src/tools/secrets.ts";

const SECRET = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GEMINI_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SESSION_TOKEN",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "NPM_TOKEN",
  "npm_config__authToken",
  "DB_PASSWORD",
  "PGPASSWORD",
  "MYSQL_PWD",
  "CLIENT_SECRET",
  "API_KEY_PROD",
  "API_KEYS",
  "apiKey",
  "SSH_PASSPHRASE",
  "OPENROUTER_KEY",
  "stripeSecretKey",
  "DOCKER_PASSWD",
];
const ORDINARY = [
  "PATH",
  "HOME",
  "PWD",
  "OLDPWD",
  "SSH_AUTH_SOCK",
  "GIT_CONFIG_KEY_0",
  "TOKENIZERS_PARALLELISM",
  "MAX_OUTPUT_TOKENS",
  "KEYBOARD",
  "MONKEY",
  "POSTGRES_PASSWORD_FILE",
  "SSH_KEY_PATH",
  "TOKEN_URL",
  "LESSKEY",
  "PASSWORD_LENGTH",
  "AUTHOR",
  "NODE_OPTIONS",
];

test("what a command inherits has no variable that is named like a secret, and all others", () => {
  const environment = Object.fromEntries([...SECRET, ...ORDINARY].map((name) => [name, "value"]));
  expect(Object.keys(withoutSecrets({ ...environment, UNSET: undefined }))).toEqual(ORDINARY);
});

test("the secrets are the values of those variables and what is added, if they are long enough to recognise", () => {
  const environment = { A_TOKEN: "12345678", SHORT_TOKEN: "1234567", HOME: "/home/someone", GONE_TOKEN: undefined };
  expect(
    secretsOf(environment, [
      { name: "server calc", value: "abcdefgh" },
      { name: "empty", value: "" },
    ]),
  ).toEqual([
    { name: "A_TOKEN", value: "12345678" },
    { name: "server calc", value: "abcdefgh" },
  ]);
});

test("a secret is replaced wherever it stands, by the name of the longest one, whatever letters it has", () => {
  const redact = redactor([
    { name: "SHORT", value: "abcdefgh" },
    { name: "LONG", value: "abcdefgh-ijkl" },
    { name: "ODD", value: "a.b*c$1(d|e" },
    { name: "SAME", value: "abcdefgh" },
  ]);
  expect(redact("x=abcdefgh-ijkl;y=abcdefghabcdefgh z=a.b*c$1(d|e aXb*c$1(d|e")).toBe(
    "x=[redacted:LONG];y=[redacted:SHORT][redacted:SHORT] z=[redacted:ODD] aXb*c$1(d|e",
  );
  expect(redactor([])("nothing to hide")).toBe("nothing to hide");
});

test("each line of a key that has several is a secret, its frame is none", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";
  const redact = redactor(secretsOf({ DEPLOY_KEY: key }));
  expect(redact(key)).toBe("[redacted:DEPLOY_KEY]");
  expect(redact("-----BEGIN PRIVATE KEY-----\nhkiG9w0BAQEFAASC")).toBe(
    "-----BEGIN PRIVATE KEY-----\n[redacted:DEPLOY_KEY]",
  );
});
