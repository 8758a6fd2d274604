/** How much a search of a knowledge base found of what it looked for, from least to most. */
export const COVERAGES = ["nothing", "little", "enough"] as const;
export type Coverage = typeof COVERAGES[number];

/** The better one of two searches. */
export function betterCoverage(one: Coverage | undefined, other: Coverage): Coverage {
  return one !== undefined && COVERAGES.indexOf(one) > COVERAGES.indexOf(other) ? one : other;
}
