/**
 * Stand-in for the part of `@std/assert` that this project uses. See ../README.md.
 *
 * @module
 */
export { AssertionError } from "./assertion_error.ts";
export { equal } from "./equal.ts";
export { assertEquals, assertNotEquals } from "./equals.ts";
export { assertStrictEquals } from "./strict_equals.ts";
export { assert, assertFalse, fail, type Falsy, unreachable } from "./assert.ts";
export { assertInstanceOf } from "./instance_of.ts";
export { assertMatch, assertNotMatch, assertStringIncludes } from "./match.ts";
export { type ArrayLikeArg, assertArrayIncludes } from "./array_includes.ts";
export { assertIsError } from "./is_error.ts";
export { assertThrows } from "./throws.ts";
export { assertRejects } from "./rejects.ts";
export { assertAlmostEquals } from "./almost_equals.ts";
