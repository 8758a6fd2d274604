import { isStatus, STATUS_CODE, STATUS_TEXT } from "@std/http/status";
import { STATUS_CODE as fromRoot } from "@std/http";
import { assert, assertEquals, assertFalse, assertStrictEquals } from "@std/assert";

Deno.test("STATUS_TEXT: every code has a phrase and no phrase is without a code", () => {
  assertEquals(
    Object.keys(STATUS_TEXT).map(Number),
    Object.values(STATUS_CODE),
  );
  assertEquals(STATUS_TEXT[STATUS_CODE.TooManyRequests], "Too Many Requests");
  assertEquals(STATUS_TEXT[413], "Content Too Large");
});

Deno.test("isStatus: only registered codes pass", () => {
  assert(isStatus(404));
  assertFalse(isStatus(499));
  assertFalse(isStatus(0));
});

Deno.test("the package root has the same names", () => {
  assertStrictEquals(fromRoot, STATUS_CODE);
});
