import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";

export type Falsy = false | 0 | 0n | "" | null | undefined;

/** Fails unless `expr` is truthy, and narrows it for the code that follows. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Fails unless `expr` is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/** Fails always: for branches that a test must not reach. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${suffix(msg)}`);
}

/** Fails always: for code that cannot be reached if the types are right. */
export function unreachable(msg?: string): never {
  throw new AssertionError(`Unreachable${suffix(msg)}`);
}
