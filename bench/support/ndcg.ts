/**
 * Normalized discounted cumulative gain of the first `cut` of a ranking, as in `trec_eval`: 1 if no order
 * of all judged texts is better.
 */
export function ndcg(
  ranking: readonly string[],
  { judged, cut }: { judged: ReadonlyMap<string, number>; cut: number },
): number {
  const ideal = gain([...judged.values()].sort((a, b) => b - a).slice(0, cut));
  return ideal === 0 ? 0 : gain(ranking.slice(0, cut).map((id) => judged.get(id) ?? 0)) / ideal;
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0);
}
