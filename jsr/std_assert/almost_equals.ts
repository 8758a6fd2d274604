import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";

/** Fails unless `actual` is within `tolerance` of `expected`; by default a ten-millionth of it. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance: number = Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7,
  msg?: string,
): void {
  if (Object.is(actual, expected)) return;
  const delta = Math.abs(expected - actual);
  if (delta <= tolerance) return;
  throw new AssertionError(
    `Expected ${actual} to be within ${tolerance} of ${expected}, but it is ${delta} away${
      suffix(msg)
    }`,
  );
}
