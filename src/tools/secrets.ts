/** What counts as a secret: the variables that commands do not inherit and whose values are not written down. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Shorter values stand in ordinary text too often to be taken out of it. */
const SHORTEST_VALUE = 8;

/** Words that make a name that of a secret, wherever they stand in it; KEY only where it says which or is the last word. */
const SECRET_WORDS =
  /(^|_)(\w*TOKEN|\w*SECRETS?|\w*PASSWORD|\w*PASSWD|\w*PASSPHRASE|\w*API_?KEYS?|\w*(ACCESS|PRIVATE|ENCRYPTION|SIGNING|MASTER)_?KEYS?)(_|$)|(^|_)KEYS?$/;
/** A last word that says that the value is about a secret and not the secret itself. */
const ABOUT_A_SECRET = /_(FILE|PATH|DIR|SOCK|URL|URI|HOST|PORT|NAME|TYPE|LENGTH|LIMIT|COUNT|TTL|ENABLED)$/;
/** Names that the rule for words misses. */
const KNOWN_SECRETS: ReadonlySet<string> = new Set([
  "MYSQL_PWD",
  "AWS_ACCESS_KEY_ID",
  "GITHUB_PAT",
  "NPM_CONFIG__AUTH",
]);

/** The secrets of an environment, and `extra` ones (of servers, of configuration), that are long enough to be recognised. */
export function secretsOf(environment: Environment, extra: readonly Secret[] = []): readonly Secret[] {
  const named = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [{ name, value }] : [],
  );
  return [...named, ...extra].flatMap(linesOf).filter(({ value }) => value.length >= SHORTEST_VALUE);
}

/** Output is looked through line by line, so each line of a key file is a secret; its frame (`-----BEGIN …`) is none. */
function linesOf(secret: Secret): readonly Secret[] {
  const lines = secret.value.split(/\r?\n/).filter((line) => !line.startsWith("-----"));
  return lines.length < 2 ? [secret] : [secret, ...lines.map((value) => ({ name: secret.name, value }))];
}

/** The environment for a command: without every variable whose name is that of a secret, however short its value. */
export function withoutSecrets(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !isSecretName(name)) kept[name] = value;
  }
  return kept;
}

/** Replaces the secrets in a text by `[redacted:NAME]`; where one contains another, the longer one is named. */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) if (!names.has(value)) names.set(value, name);
  if (names.size === 0) return (text) => text;
  const values = [...names.keys()].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(values.map(escaped).join("|"), "g");
  return (text) => text.replace(pattern, (value) => `[redacted:${names.get(value) ?? ""}]`);
}

function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]/g, "_")
    .toUpperCase();
  if (KNOWN_SECRETS.has(words)) return true;
  return SECRET_WORDS.test(words) && !ABOUT_A_SECRET.test(words);
}

function escaped(value: string): string {
  return value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
