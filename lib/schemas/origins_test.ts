import { assertEquals } from "@std/assert";
import { normalizeOrigin } from "./origins.ts";

Deno.test("normalizeOrigin: spells an origin as browsers do", () => {
  assertEquals(normalizeOrigin("https://shop.example"), "https://shop.example");
  assertEquals(normalizeOrigin("HTTPS://Shop.Example:443/"), "https://shop.example");
  assertEquals(normalizeOrigin("https://shop.example:8443"), "https://shop.example:8443");
  assertEquals(normalizeOrigin("https://bücher.example"), "https://xn--bcher-kva.example");
});

Deno.test("normalizeOrigin: http is for this machine alone", () => {
  for (const host of ["localhost:3000", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "a.localhost"]) {
    assertEquals(normalizeOrigin(`http://${host}`), `http://${host}`);
  }
  for (const host of ["shop.example", "192.168.0.2", "localhost.example", "127.0.0.1.example"]) {
    assertEquals(normalizeOrigin(`http://${host}`), undefined);
  }
});

Deno.test("normalizeOrigin: what is more or less than an origin is none", () => {
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
