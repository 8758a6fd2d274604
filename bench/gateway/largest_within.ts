export interface SearchRange {
  /** The first size to try. */
  from: number;
  /** The largest size to try. */
  to: number;
  /** How close the result has to be to the true one, as a share of it; 0.1 by default. */
  precision?: number;
}

/**
 * The largest size that `isWithin` accepts, by bisection; 0 if it rejects every size. It must reject
 * all sizes above one that it rejects, as far as measurements can.
 */
export async function largestWithin(
  isWithin: (size: number) => Promise<boolean>,
  { from, to, precision = 0.1 }: SearchRange,
): Promise<number> {
  let accepted = 0;
  let rejected = to + 1;
  for (let size = Math.min(from, to); rejected - accepted > Math.max(1, accepted * precision);) {
    if (await isWithin(size)) accepted = size;
    else rejected = size;
    // Doubles until a size is rejected.
    const middle = Math.floor((accepted + rejected) / 2);
    size = rejected > to ? Math.min(accepted * 2, to) : middle;
    if (accepted === to) break;
  }
  return accepted;
}
