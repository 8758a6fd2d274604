/** Micro-USD as USD, for the API. */
export function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

/** USD as whole micro-USD, rounded down: never more than the given budget. */
export function toMicroUsd(usd: number): number {
  return Math.floor(usd * 1_000_000 + 1e-6);
}
