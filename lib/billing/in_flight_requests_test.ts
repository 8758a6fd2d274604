import { assertEquals, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "./limits.ts";
import { LimitError } from "./limit_error.ts";
import { InFlightRequests } from "./in_flight_requests.ts";

const LIMITS = { ...DEFAULT_LIMITS, ipRequests: 2 };

Deno.test("InFlightRequests: one address has as many as it may make in a minute, and others theirs", () => {
  const underWay = new InFlightRequests();
  for (const address of ["a", "a", "b"]) underWay.enter(address, LIMITS);
  const { rejection, headers } = assertThrows(() => underWay.enter("a", LIMITS), LimitError);
  assertEquals([rejection.scope, rejection.limit, headers["retry-after"]], ["ip", 2, "60"]);
  underWay.enter("b", LIMITS);
  underWay.leave("a");
  underWay.enter("a", LIMITS);
  assertThrows(() => underWay.enter("a", LIMITS), LimitError);
});

Deno.test("InFlightRequests: nothing is kept of an address that has none any more", () => {
  const underWay = new InFlightRequests();
  for (const address of ["a", "a", "b"]) underWay.enter(address, LIMITS);
  for (const address of ["a", "b", "a"]) underWay.leave(address);
  assertEquals(underWay.addresses, 0);
});
