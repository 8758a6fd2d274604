/** With fewer items there is no telling which similarity is usual. */
const MIN_ITEMS = 8;
/** How far above the usual similarity two items must be at least, in deviations. */
const MIN_DEVIATIONS = 3;
/** The median of absolute deviations as a standard deviation. */
const MAD_TO_DEVIATION = 1.4826;

/**
 * Merges the items whose vectors are all far more similar to each other than is usual among them, the most
 * similar first. Returns their positions, each group in the order of its members. Vectors have length 1.
 */
export function mergeSimilar(vectors: readonly Float32Array[]): number[][] {
  const alone = vectors.map((_, n) => [n]);
  if (vectors.length < MIN_ITEMS) return alone;
  const pairs: { a: number; b: number; similarity: number }[] = [];
  for (let a = 0; a < vectors.length; a++) {
    for (let b = a + 1; b < vectors.length; b++) {
      pairs.push({ a, b, similarity: dotProduct(vectors[a]!, vectors[b]!) });
    }
  }
  const limit = unusualSimilarity(pairs.map(({ similarity }) => similarity));
  const groups: (number[] | undefined)[] = [...alone];
  const groupOf = vectors.map((_, n) => n);
  const near = pairs.filter(({ similarity }) => similarity >= limit)
    .sort((one, other) => other.similarity - one.similarity);
  for (const { a, b } of near) {
    const [into, from] = [groupOf[a]!, groupOf[b]!].sort((one, other) => one - other) as [
      number,
      number,
    ];
    if (into === from) continue;
    const [kept, added] = [groups[into]!, groups[from]!];
    const areAllNear = kept.every((one) =>
      added.every((other) => dotProduct(vectors[one]!, vectors[other]!) >= limit)
    );
    if (!areAllNear) continue;
    for (const one of added) groupOf[one] = into;
    groups[into] = [...kept, ...added].sort((one, other) => one - other);
    groups[from] = undefined;
  }
  return groups.filter((group) => group !== undefined);
}

/**
 * Models differ in what is usual for unrelated texts (0.1 to 0.75), so no number is right for all of them.
 * Robust against the pairs that do belong together: they are few.
 */
function unusualSimilarity(similarities: readonly number[]): number {
  const usual = median(similarities);
  const deviation = MAD_TO_DEVIATION * median(similarities.map((one) => Math.abs(one - usual)));
  return usual + Math.max(MIN_DEVIATIONS, deviationsOfOneIn(similarities.length)) * deviation;
}

/** Beyond which one of `count` normally distributed numbers is expected; for 50 and more. */
function deviationsOfOneIn(count: number): number {
  const twice = 2 * Math.log(Math.max(50, count));
  return Math.sqrt(twice - Math.log(twice) - Math.log(2 * Math.PI));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}
