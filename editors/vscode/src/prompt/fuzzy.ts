// Finds names by letters that occur in them in this order. Fast enough for a hundred thousand paths at each keystroke. Pure.

/** How well a name fits; undefined if it does not. `lower`: the name in lower case. */
function score(query: string, lower: string): number | undefined {
  const slash = lower.lastIndexOf('/') + 1;
  const name = lower.indexOf(query, slash);
  if (name !== -1) {
    // Whole and in the file's own name: the sooner and the shorter, the better.
    return 3000 - (name === slash ? 0 : 200) - Math.min(lower.length, 150);
  }
  const whole = lower.lastIndexOf(query);
  if (whole !== -1) {
    return 2000 - Math.min(lower.length, 150);
  }
  // Letter by letter from the end, so that the file's own name counts before its folders.
  let at = lower.length;
  let gaps = 0;
  for (let index = query.length - 1; index >= 0; index--) {
    const found = at === 0 ? -1 : lower.lastIndexOf(query.charAt(index), at - 1);
    if (found === -1) {
      return undefined;
    }
    if (index < query.length - 1 && found !== at - 1) {
      gaps++;
    }
    at = found;
  }
  return 1000 - 10 * gaps - Math.min(lower.length, 150);
}

export interface Named<T> {
  /** In lower case. */
  lower: string;
  value: T;
}

/** The best of them, at most so many. Of those that fit as well the one that comes sooner. */
export function best<T>(query: string, candidates: readonly Named<T>[], most: number): T[] {
  const wanted = query.toLowerCase();
  if (wanted === '') {
    return candidates.slice(0, most).map((one) => one.value);
  }
  const found: { rank: number; value: T }[] = [];
  for (const { lower, value } of candidates) {
    const rank = score(wanted, lower);
    if (rank !== undefined) {
      found.push({ rank, value });
    }
  }
  return found
    .sort((a, b) => b.rank - a.rank)
    .slice(0, most)
    .map((one) => one.value);
}
