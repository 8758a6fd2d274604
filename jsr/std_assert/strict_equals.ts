import { AssertionError } from "./assertion_error.ts";
import { difference, format, suffix } from "./format.ts";

/** Fails unless both are the same value by `Object.is`, and narrows `actual`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  throw new AssertionError(
    format(actual) === format(expected)
      ? `Values look the same but are not the same reference${suffix(msg)}\n${format(actual)}`
      : `Values are not strictly equal${suffix(msg)}\n${difference(actual, expected)}`,
  );
}
