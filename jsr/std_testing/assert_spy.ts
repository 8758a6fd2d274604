// deno-lint-ignore-file no-explicit-any -- a spy stands in for a function of any shape
import { assertEquals, AssertionError, assertIsError, assertRejects } from "@std/assert";
import type { Spy, SpyCall } from "./spy.ts";

/** What a call must have been; what is left out is not looked at. */
export interface ExpectedSpyCall<
  Self = any,
  Args extends unknown[] = any[],
  Return = any,
> {
  args?: [...Args, ...unknown[]];
  self?: Self;
  returned?: Return;
  error?: { Class?: new (...args: any[]) => Error; msgIncludes?: string };
}

/** Fails unless the spy was called exactly so many times. */
export function assertSpyCalls<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Return>,
  expectedCalls: number,
): void {
  const { length } = spy.calls;
  if (length === expectedCalls) return;
  const words = length < expectedCalls ? "not called as much as" : "called more than";
  throw new AssertionError(
    `Spy ${words} expected: ${length} calls, expected ${expectedCalls}`,
  );
}

/** Fails unless the call at `callIndex` (from 0) was made, and was as expected. */
export function assertSpyCall<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Return>,
  callIndex: number,
  expected: ExpectedSpyCall<Self, Args, Return> = {},
): void {
  const call = callAt(spy, callIndex);
  assertCaller(call, expected);
  refuseBoth(expected);
  if ("returned" in expected) {
    if (call.error) {
      throw new AssertionError("Spy call threw instead of returning", {
        cause: call.error,
      });
    }
    assertEquals<unknown>(
      call.returned,
      expected.returned,
      "Spy call did not return as expected",
    );
  }
  if (!("error" in expected)) return;
  if ("returned" in call) {
    throw new AssertionError("Spy call returned instead of throwing");
  }
  assertIsError(call.error, expected.error?.Class, expected.error?.msgIncludes);
}

/** As `assertSpyCall` for a call that returned a promise: compares what came of the promise. */
export async function assertSpyCallAsync<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Promise<Return>>,
  callIndex: number,
  expected: ExpectedSpyCall<Self, Args, Promise<Return> | Return> = {},
): Promise<void> {
  const call = callAt(spy, callIndex);
  assertCaller(call, expected);
  refuseBoth(expected);
  const { returned } = call;
  if (!(returned instanceof Promise)) {
    throw new AssertionError("Spy call did not return a promise");
  }
  if ("returned" in expected) {
    assertEquals(
      await returned,
      await expected.returned,
      "Spy call did not resolve as expected",
    );
  }
  if ("error" in expected) {
    const { Class = Error, msgIncludes } = expected.error ?? {};
    await assertRejects(() => returned, Class, msgIncludes);
  }
}

/** Fails unless that argument of that call equals `expected`; returns the argument. */
export function assertSpyCallArg<
  Self,
  Args extends unknown[],
  Return,
  Expected,
>(
  spy: Spy<Self, Args, Return>,
  callIndex: number,
  argIndex: number,
  expected: Expected,
): Expected {
  const arg: unknown = callAt(spy, callIndex).args[argIndex];
  assertEquals(arg, expected);
  return arg as Expected;
}

/** Fails unless the arguments of that call equal `expected`; returns them. */
export function assertSpyCallArgs<
  Self,
  Args extends unknown[],
  Return,
  Expected extends unknown[],
>(
  spy: Spy<Self, Args, Return>,
  callIndex: number,
  expected: Expected,
): Expected {
  const args: unknown[] = callAt(spy, callIndex).args;
  assertEquals(args, expected);
  return args as Expected;
}

function callAt<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Return>,
  index: number,
): SpyCall<Self, Args, Return> {
  const call = spy.calls[index];
  if (!call) throw new AssertionError("Spy not called as much as expected");
  return call;
}

function assertCaller(call: SpyCall, expected: ExpectedSpyCall): void {
  if (expected.args) {
    assertEquals(call.args, expected.args, "Spy not called with expected args");
  }
  if ("self" in expected) {
    assertEquals(
      call.self,
      expected.self,
      "Spy not called as method on expected self",
    );
  }
}

function refuseBoth(expected: ExpectedSpyCall): void {
  if (!("returned" in expected && "error" in expected)) return;
  throw new TypeError(
    "Do not expect error and return, only one should be expected",
  );
}
