import { assertEquals, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "./limits.ts";
import { LimitError } from "./refusal.ts";
import { RequestsUnderWay } from "./requests_under_way.ts";

const LIMITS = { ...DEFAULT_LIMITS, ipRequests: 2 };

Deno.test("RequestsUnderWay: one address has as many as it may make in a minute, and others theirs", () => {
  const underWay = new RequestsUnderWay();
  for (const address of ["a", "a", "b"]) underWay.enter(address, LIMITS);
  const { refusal, headers } = assertThrows(() => underWay.enter("a", LIMITS), LimitError);
  assertEquals([refusal.scope, refusal.limit, headers["retry-after"]], ["ip", 2, "60"]);
  underWay.enter("b", LIMITS);
  underWay.leave("a");
  underWay.enter("a", LIMITS);
  assertThrows(() => underWay.enter("a", LIMITS), LimitError);
});

Deno.test("RequestsUnderWay: nothing is kept of an address that has none any more", () => {
  const underWay = new RequestsUnderWay();
  for (const address of ["a", "a", "b"]) underWay.enter(address, LIMITS);
  for (const address of ["a", "b", "a"]) underWay.leave(address);
  assertEquals(underWay.addresses, 0);
});
