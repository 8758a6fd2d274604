/**
 * Stand-in for the part of `@std/testing/mock` that this project uses: functions and methods, not
 * constructors. See ../README.md.
 *
 * @module
 */
export {
  assertSpyCall,
  assertSpyCallArg,
  assertSpyCallArgs,
  assertSpyCallAsync,
  assertSpyCalls,
  type ExpectedSpyCall,
} from "./assert_spy.ts";
export { resolvesNext, returnsNext } from "./answers.ts";
export { type MethodSpy, MockError, type Spy, spy, type SpyCall, type Stub, stub } from "./spy.ts";
