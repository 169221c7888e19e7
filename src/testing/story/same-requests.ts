/** Whether two performances asked the model the same, to the byte: a provider's cache is lost over a key that moved. */
import { scrub } from "./transcript.ts";
import type { World } from "./world.ts";

/** The bodies of all requests, with ids by their first appearance and folders by their name. */
export function plainRequests({ model, workspace, home }: World): readonly string[] {
  const ids = new Map<string, string>();
  const plainId = (id: string): string => {
    const known = ids.get(id) ?? `id-${ids.size + 1}`;
    ids.set(id, known);
    return known;
  };
  return model.requests.map(({ rawBody }) => scrub(rawBody, { workspace, home }).replace(/story-\d+/g, plainId));
}

/** What differs first; undefined if nothing does. */
export function differentRequest(before: readonly string[], after: readonly string[]): string | undefined {
  if (before.length !== after.length) return `${before.length} requests before and ${after.length} now`;
  const number = before.findIndex((body, at) => body !== after[at]);
  if (number === -1) return undefined;
  const [left = "", right = ""] = [before[number], after[number]];
  const from = Math.max(0, firstDifference(left, right) - 60);
  return `request ${number} differs: …${left.slice(from, from + 200)}… before and …${right.slice(from, from + 200)}… now`;
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}
