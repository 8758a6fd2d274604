import { AssertionError } from "./assertion_error.ts";
import { equal } from "./equal.ts";
import { difference, format, suffix } from "./format.ts";

/** Fails unless both values are deeply equal (see `equal`); the message shows the difference. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) return;
  throw new AssertionError(
    `Values are not equal${suffix(msg)}\n${difference(actual, expected)}`,
  );
}

/** Fails when both values are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) return;
  throw new AssertionError(
    `Expected values that differ, both are ${format(actual)}${suffix(msg)}`,
  );
}
