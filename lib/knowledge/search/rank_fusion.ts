/** As in the paper that proposed it: the first of one list weighs little more than the next. */
const K = 60;

/**
 * Several rankings as one, by reciprocal rank: what is high in any comes high, what is high in all comes
 * first, whatever their scores are made of. Source: Cormack, Clarke and Büttcher, SIGIR 2009.
 */
export function fuseRanks<T>(
  rankings: readonly (readonly T[])[],
  { limit }: { limit: number },
): { item: T; score: number }[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    for (const [rank, item] of ranking.entries()) {
      scores.set(item, (scores.get(item) ?? 0) + 1 / (K + rank + 1));
    }
  }
  return [...scores]
    .map(([item, score]) => ({ item, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}
