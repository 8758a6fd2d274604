import { AssertionError } from "./assertion_error.ts";
import { equal } from "./equal.ts";
import { format, suffix } from "./format.ts";

export type ArrayLikeArg<T> = ArrayLike<T> & object;

/** Fails unless every item of `expected` has a deep equal in `actual`, in any order. */
export function assertArrayIncludes<T>(
  actual: ArrayLikeArg<T>,
  expected: ArrayLikeArg<T>,
  msg?: string,
): void {
  const items = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !items.some((other) => equal(item, other)));
  if (missing.length === 0) return;
  throw new AssertionError(
    `Expected ${format(items)} to include ${format(expected)}${suffix(msg)}\nmissing: ${
      format(missing)
    }`,
  );
}
