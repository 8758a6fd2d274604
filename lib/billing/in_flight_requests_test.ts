import { assertEquals, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "./limits.ts";
import { LimitError } from "./limit_error.ts";
import { InFlightRequests } from "./in_flight_requests.ts";

const LIMITS = { ...DEFAULT_LIMITS, ipRequests: 2 };

Deno.test("InFlightRequests: each address may have as many as it may make per minute", () => {
  const inFlight = new InFlightRequests();
  for (const address of ["a", "a", "b"]) inFlight.enter(address, LIMITS);
  const { rejection, headers } = assertThrows(() => inFlight.enter("a", LIMITS), LimitError);
  assertEquals([rejection.scope, rejection.limit, headers["retry-after"]], ["ip", 2, "60"]);
  inFlight.enter("b", LIMITS);
  inFlight.leave("a");
  inFlight.enter("a", LIMITS);
  assertThrows(() => inFlight.enter("a", LIMITS), LimitError);
});

Deno.test("InFlightRequests: an address without requests is forgotten", () => {
  const inFlight = new InFlightRequests();
  for (const address of ["a", "a", "b"]) inFlight.enter(address, LIMITS);
  for (const address of ["a", "b", "a"]) inFlight.leave(address);
  assertEquals(inFlight.addresses, 0);
});
