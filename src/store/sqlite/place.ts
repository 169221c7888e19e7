/** Numbers the rows of all sessions along one line: the session's key, then the row's number in its session. */

const ROWS = 2 ** 32;
/** The greatest key with which a place is still an exact number. */
export const LAST_KEY = 2 ** 21 - 1;

export function placeOf(key: number, n: number): number {
  return key * ROWS + n;
}

/** The places of a session after one number: greater than the first, less than the second. */
export function placesAfter(key: number, n: number): [after: number, end: number] {
  return [placeOf(key, n), placeOf(key + 1, 0)];
}
