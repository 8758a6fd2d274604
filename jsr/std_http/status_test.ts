import { STATUS_CODE, STATUS_TEXT } from "@std/http/status";
import { STATUS_CODE as fromRoot } from "@std/http";
import { assertEquals, assertStrictEquals } from "@std/assert";

Deno.test("STATUS_TEXT: every code has a phrase and no phrase is without a code", () => {
  assertEquals(
    Object.keys(STATUS_TEXT).map(Number),
    Object.values(STATUS_CODE),
  );
  assertEquals(STATUS_TEXT[STATUS_CODE.TooManyRequests], "Too Many Requests");
  assertEquals(STATUS_TEXT[413], "Content Too Large");
});

Deno.test("the package root has the same names", () => {
  assertStrictEquals(fromRoot, STATUS_CODE);
});
