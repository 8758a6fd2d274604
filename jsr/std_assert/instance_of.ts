import { AssertionError } from "./assertion_error.ts";
import { suffix } from "./format.ts";

/** Fails unless `actual instanceof expectedType`, and narrows it. */
export function assertInstanceOf<
  // deno-lint-ignore no-explicit-any
  T extends abstract new (...args: any[]) => any,
>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is InstanceType<T> {
  if (actual instanceof expectedType) return;
  throw new AssertionError(
    `Expected an instance of "${expectedType.name}", got "${typeName(actual)}"${suffix(msg)}`,
  );
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return value.constructor?.name ?? "Object";
}
