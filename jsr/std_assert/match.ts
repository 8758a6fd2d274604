import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";

/** Fails unless the pattern matches somewhere in `actual`. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void {
  if (expected.test(actual)) return;
  throw new AssertionError(
    `Expected "${actual}" to match ${expected}${suffix(msg)}`,
  );
}

/** Fails when the pattern matches anywhere in `actual`. */
export function assertNotMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void {
  if (!expected.test(actual)) return;
  throw new AssertionError(
    `Expected "${actual}" not to match ${expected}${suffix(msg)}`,
  );
}

/** Fails unless `actual` contains `expected`. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  msg?: string,
): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(
    `Expected "${actual}" to contain "${expected}"${suffix(msg)}`,
  );
}
