import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";

/** Fails unless `error` is an Error, of the class and with the message asked for; narrows it. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  // deno-lint-ignore no-explicit-any
  ErrorClass?: abstract new (...args: any[]) => E,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) {
    throw new AssertionError(
      `Expected "error" to be an Error object${suffix(msg)}`,
    );
  }
  if (ErrorClass && !(error instanceof ErrorClass)) {
    throw new AssertionError(
      `Expected error to be instance of "${ErrorClass.name}", but was "${error.constructor.name}": ${error.message}${
        suffix(msg)
      }`,
      { cause: error },
    );
  }
  if (!msgMatches || matches(error.message, msgMatches)) return;
  throw new AssertionError(
    `Expected error message to include ${msgMatches}, but got ${JSON.stringify(error.message)}${
      suffix(msg)
    }`,
    { cause: error },
  );
}

function matches(message: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? message.includes(wanted) : wanted.test(message);
}
