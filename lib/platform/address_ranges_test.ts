import { assertEquals } from "@std/assert";
import { isInRanges } from "./address_ranges.ts";

const RANGES = ["203.0.113.7/32", "10.1.2.3/8", "2001:db8:1::/48"];

Deno.test("isInRanges: judges IPv4 and IPv6 addresses by the bits of a network", () => {
  for (const address of ["203.0.113.7", "10.255.0.1", "2001:db8:1:ffff::1", "2001:db8:1::%eth0"]) {
    assertEquals(isInRanges(address, RANGES), true, address);
  }
  for (const address of ["203.0.113.8", "11.0.0.1", "2001:db8:2::1", "local", "", "::1"]) {
    assertEquals(isInRanges(address, RANGES), false, address);
  }
});

Deno.test("isInRanges: no range contains an address in another notation", () => {
  for (const address of ["::ffff:203.0.113.7", "203.0.113.07", "3405803783"]) {
    assertEquals(isInRanges(address, RANGES), false, address);
  }
  assertEquals(isInRanges("203.0.113.7", []), false);
  assertEquals(isInRanges("2001:db8::1", ["0.0.0.0/0"]), false);
  assertEquals(isInRanges("203.0.113.7", ["::/0"]), false);
});
