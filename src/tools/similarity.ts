/** How much two short texts look alike, to suggest what was probably meant. */

/** Share of common letter pairs (Sørensen–Dice), 0 to 1; upper and lower case and white space do not count. */
export function similarity(one: string, other: string): number {
  const left = pairsOf(one);
  const right = pairsOf(other);
  if (left.length === 0 || right.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const pair of left) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let common = 0;
  for (const pair of right) {
    const count = counts.get(pair) ?? 0;
    if (count === 0) continue;
    counts.set(pair, count - 1);
    common += 1;
  }
  return (2 * common) / (left.length + right.length);
}

function pairsOf(text: string): string[] {
  const letters = text.toLowerCase().replaceAll(/\s+/g, "");
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2));
}
