import { assertEquals } from "@std/assert";
import { isDomainAllowed, normalizeDomain } from "./domains.ts";

Deno.test("normalizeDomain: lower-cases, converts IDNA, removes a final dot and the default port", () => {
  assertEquals(normalizeDomain("API.Example.com"), "api.example.com");
  assertEquals(normalizeDomain("bücher.example"), "xn--bcher-kva.example");
  assertEquals(normalizeDomain("example.com."), "example.com");
  assertEquals(normalizeDomain("example.com:443"), "example.com");
  assertEquals(normalizeDomain("*.Example.com:8443"), "*.example.com:8443");
  assertEquals(normalizeDomain("[2001:DB8::1]:8443"), "[2001:db8::1]:8443");
});

Deno.test("normalizeDomain: normalizes other spellings of an IP address", () => {
  assertEquals(normalizeDomain("0x7f.1"), "127.0.0.1");
  assertEquals(normalizeDomain("2130706433"), "127.0.0.1");
});

Deno.test("normalizeDomain: is undefined for anything but a host", () => {
  const refused = [
    "",
    "*",
    "*.",
    "*.*.example",
    "a.*.example",
    "*example.com",
    ".example.com",
    "https://example.com",
    "example.com/path",
    "user@example.com",
    "example.com?x",
    "exa mple.com",
    "example.com:99999",
    "*.127.0.0.1",
    "*.[::1]",
    "ex%41mple.com",
  ];
  for (const entry of refused) assertEquals(normalizeDomain(entry), undefined, entry);
});

function allowed(url: string, ...entries: string[]): boolean {
  return isDomainAllowed(new URL(url), entries);
}

Deno.test("isDomainAllowed: an exact host matches only itself", () => {
  assertEquals(allowed("https://example.com/a", "example.com"), true);
  assertEquals(allowed("https://example.com./a", "example.com"), true);
  assertEquals(allowed("https://api.example.com/", "example.com"), false);
  assertEquals(allowed("https://badexample.com/", "example.com"), false);
  assertEquals(allowed("https://example.com.evil.example/", "example.com"), false);
  assertEquals(allowed("https://example.com/"), false);
});

Deno.test("isDomainAllowed: a wildcard matches subdomains at any depth, not the host itself", () => {
  assertEquals(allowed("https://a.example.com/", "*.example.com"), true);
  assertEquals(allowed("https://a.b.example.com/", "*.example.com"), true);
  assertEquals(allowed("https://example.com/", "*.example.com"), false);
  assertEquals(allowed("https://badexample.com/", "*.example.com"), false);
});

Deno.test("isDomainAllowed: the port must match the entry", () => {
  assertEquals(allowed("https://example.com:8443/", "example.com"), false);
  assertEquals(allowed("https://example.com:8443/", "example.com:8443"), true);
  assertEquals(allowed("https://example.com/", "example.com:8443"), false);
  assertEquals(allowed("http://example.com:80/", "example.com:80"), true);
  assertEquals(allowed("http://example.com/", "example.com:80"), true);
  assertEquals(allowed("http://a.example.com/", "*.example.com:80"), true);
  assertEquals(allowed("http://example.com/", "example.com"), true);
  assertEquals(allowed("https://example.com/", "example.com:80"), false);
  assertEquals(allowed("http://example.com:443/", "example.com"), false);
  assertEquals(allowed("https://example.com:80/", "example.com"), false);
  assertEquals(allowed("https://[::1]:8443/", "[::1]:8443"), true);
  assertEquals(allowed("https://[::1]/", "[::1]"), true);
});
