/** No text anywhere holds half of a character or the value of a secret. */
import type { Check, Evidence } from "./check.ts";

export const textIsSound: Check = (evidence) =>
  Object.entries(placesOf(evidence)).flatMap(([place, texts]) => [
    ...texts.filter(isBroken).map((text) => `in the ${place} there is half of a character: ${shortened(text)}`),
    ...secretsIn(place, texts, evidence),
  ]);

function placesOf({ entries, processes, exported }: Evidence): Readonly<Record<string, readonly string[]>> {
  return {
    journal: entries.map((entry) => JSON.stringify(entry)),
    events: processes.flatMap(({ events }) => events.map((event) => JSON.stringify(event))),
    reports: processes.flatMap(({ reports }) => reports.map((report) => JSON.stringify(report))),
    export: exported,
  };
}

/** JSON writes half of a character as an escape. */
function isBroken(text: string): boolean {
  return /\p{Surrogate}/u.test(text) || /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i.test(text);
}

function secretsIn(place: string, texts: readonly string[], { secrets }: Evidence): readonly string[] {
  return Object.entries(secrets).flatMap(([name, value]) => {
    const told = texts.find((text) => text.includes(value));
    return told === undefined ? [] : [`the ${place} tells the value of ${name}: ${shortened(told)}`];
  });
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
