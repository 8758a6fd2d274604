import { assertEquals } from "@std/assert";
import { addressBlock } from "./address_block.ts";

Deno.test("addressBlock keeps IPv4, also when mapped into IPv6", () => {
  assertEquals(addressBlock("192.0.2.1"), "192.0.2.1");
  assertEquals(addressBlock("::ffff:192.0.2.1"), "192.0.2.1");
});

Deno.test("addressBlock gives every spelling of one /64 the same name", () => {
  const block = "2001:db8:0:1::/64";
  for (const address of ["2001:db8:0:1::5", "2001:0DB8:0000:0001:a:b:c:d", "2001:db8::1:0:0:0:9"]) {
    assertEquals(addressBlock(address), block);
  }
  assertEquals(addressBlock("::1"), "0:0:0:0::/64");
  assertEquals(addressBlock("fe80::1%eth0"), "fe80:0:0:0::/64");
});
