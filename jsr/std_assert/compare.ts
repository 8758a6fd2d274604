import { AssertionError } from "./assertion_error.ts";
import { format, suffix } from "./format.ts";

export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) refuse(actual, `> ${format(expected)}`, msg);
}

export function assertGreaterOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  if (!(actual >= expected)) refuse(actual, `>= ${format(expected)}`, msg);
}

export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) refuse(actual, `< ${format(expected)}`, msg);
}

export function assertLessOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  if (!(actual <= expected)) refuse(actual, `<= ${format(expected)}`, msg);
}

/**
 * Fails unless `actual` is within `tolerance` of `expected`. Without a tolerance that is one ten
 * millionth of `expected`.
 */
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
    `Expected ${actual} to be within ${tolerance} of ${expected}, it is ${delta} away${
      suffix(msg)
    }`,
  );
}

function refuse(actual: unknown, rule: string, msg: string | undefined): never {
  throw new AssertionError(msg ?? `Expect ${format(actual)} ${rule}`);
}
