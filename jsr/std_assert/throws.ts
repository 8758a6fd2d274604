import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";
import { assertIsError } from "./is_error.ts";

// deno-lint-ignore no-explicit-any
export type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

/**
 * Fails unless `fn` throws, of the class and with the text asked for.
 *
 * @returns what was thrown
 */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  classOrMsg?: ErrorClass<E> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  const own = typeof classOrMsg === "string" ? classOrMsg : msg;
  let thrown: unknown;
  try {
    fn();
  } catch (error) {
    thrown = error;
    if (typeof classOrMsg === "function") {
      assertIsError(error, classOrMsg, msgIncludes, own);
    }
    return thrown;
  }
  throw new AssertionError(`Expected function to throw${suffix(own)}`);
}
