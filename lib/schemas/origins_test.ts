import { assertEquals } from "@std/assert";
import { normalizeOrigin } from "./origins.ts";

Deno.test("normalizeOrigin: serializes an origin like browsers", () => {
  assertEquals(normalizeOrigin("https://shop.example"), "https://shop.example");
  assertEquals(normalizeOrigin("HTTPS://Shop.Example:443/"), "https://shop.example");
  assertEquals(normalizeOrigin("https://shop.example:8443"), "https://shop.example:8443");
  assertEquals(normalizeOrigin("https://bücher.example"), "https://xn--bcher-kva.example");
});

Deno.test("normalizeOrigin: http is allowed for loopback only", () => {
  for (const host of ["localhost:3000", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "a.localhost"]) {
    assertEquals(normalizeOrigin(`http://${host}`), `http://${host}`);
  }
  for (const host of ["shop.example", "192.168.0.2", "localhost.example", "127.0.0.1.example"]) {
    assertEquals(normalizeOrigin(`http://${host}`), undefined);
  }
});

Deno.test("normalizeOrigin: is undefined for anything but an origin", () => {
  const refused = [
    "",
    "*",
    "null",
    "shop.example",
    "//shop.example",
    "https:shop.example",
    "https:///shop.example",
    " https://shop.example",
    "https://shop.example/a",
    "https://shop.example/.",
    "https://shop.example?",
    "https://shop.example#",
    "https://*.shop.example",
    "https://user@shop.example",
    "https://@shop.example",
    "https://shop.example\\",
    "https://shop.example:99999",
    "file:///etc/passwd",
    "javascript:alert(1)",
  ];
  for (const value of refused) assertEquals(normalizeOrigin(value), undefined, value);
});
