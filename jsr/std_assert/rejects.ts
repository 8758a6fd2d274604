import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";
import { assertIsError } from "./is_error.ts";
import type { ErrorClass } from "./throws.ts";

/**
 * Fails unless `fn` returns a promise that rejects, with the class and text asked for. A function
 * that throws before it returns a promise fails too: its callers could not catch that with `.catch`.
 *
 * @returns what the promise was rejected with
 */
export function assertRejects(
  fn: () => PromiseLike<unknown>,
  msg?: string,
): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: ErrorClass<E> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  const own = typeof classOrMsg === "string" ? classOrMsg : msg;
  const promise = start(fn, own);
  try {
    await promise;
  } catch (error) {
    if (typeof classOrMsg === "function") {
      assertIsError(error, classOrMsg, msgIncludes, own);
    }
    return error;
  }
  throw new AssertionError(`Expected function to reject${suffix(own)}`);
}

function start(
  fn: () => PromiseLike<unknown>,
  msg: string | undefined,
): PromiseLike<unknown> {
  const message = `Function throws when expected to reject${suffix(msg)}`;
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (cause) {
    throw new AssertionError(message, { cause });
  }
  if (typeof promise?.then !== "function") throw new AssertionError(message);
  return promise;
}
