import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { clientAddress, describeClientAddressSource, ProxyDetector } from "./client_address.ts";

function from(hostname: string, hops: number, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const req = new Request("http://127.0.0.1/", { headers });
  return clientAddress(req, { transport: "tcp", hostname, port: 1 }, hops);
}

describe("clientAddress", () => {
  it("is the connection's unless proxies are trusted", () => {
    assertEquals(from("192.0.2.7", 0, "203.0.113.9"), "192.0.2.7");
  });

  it("takes the n-th from the right, so that a caller cannot write its own", () => {
    assertEquals(from("192.0.2.7", 1, "6.6.6.6, 203.0.113.9"), "203.0.113.9");
    assertEquals(from("192.0.2.7", 2, "6.6.6.6, 203.0.113.9, 198.51.100.1"), "203.0.113.9");
  });

  it("falls back to the connection when the list is shorter than the trusted hops", () => {
    assertEquals(from("192.0.2.7", 2, "203.0.113.9"), "192.0.2.7");
    assertEquals(from("192.0.2.7", 1), "192.0.2.7");
  });

  it("converts a mapped IPv4 address to IPv4 and removes brackets and port", () => {
    assertEquals(from("::ffff:192.0.2.7", 0), "192.0.2.7");
    assertEquals(from("127.0.0.1", 1, "[2001:DB8::1]:443"), "2001:db8::1");
    assertEquals(from("127.0.0.1", 1, "203.0.113.9:5000"), "203.0.113.9");
  });
});

const HTTPS = { trustedProxyHops: 0, publicUrl: "https://chat.example" };

function createDetector(config: ConstructorParameters<typeof ProxyDetector>[0] = HTTPS) {
  const warnings: string[] = [];
  const detector = new ProxyDetector(config, { warn: (message) => void warnings.push(message) });
  const request = (forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    detector.check(new Request("http://127.0.0.1/", { headers }));
  };
  return { warnings, detector, request };
}

Deno.test("ProxyDetector: warns about the first list, and again about a shorter one", () => {
  const { warnings, detector, request } = createDetector();
  request();
  assertEquals([warnings, detector.suggestedHops], [[], undefined]);
  request("192.0.2.1, 192.0.2.2,192.0.2.3");
  assertEquals([warnings.length, detector.suggestedHops], [1, 3]);
  assertStringIncludes(warnings[0]!, "Set TRUSTED_PROXY_HOPS=3 if");
  for (let n = 0; n < 100; n++) request("192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4");
  assertEquals(warnings.length, 1);
  request("192.0.2.1");
  request("192.0.2.9");
  assertEquals([warnings.length, detector.suggestedHops], [2, 1]);
});

Deno.test("ProxyDetector: suggests only values that the setting accepts", () => {
  const { detector, request } = createDetector();
  request(" , ,");
  assertEquals(detector.suggestedHops, undefined);
  request(Array(500).fill("192.0.2.1").join());
  assertEquals(detector.suggestedHops, 16);
});

Deno.test("ProxyDetector: does not warn about a trusted proxy or on plain http", () => {
  for (
    const config of [
      { ...HTTPS, trustedProxyHops: 1 },
      { trustedProxyHops: 0, publicUrl: "http://chat.example" },
      { trustedProxyHops: 0 },
    ]
  ) {
    const { warnings, request } = createDetector(config);
    request("192.0.2.1");
    assertEquals(warnings, []);
  }
});

Deno.test("describeClientAddressSource names the connection or the entry of the header", () => {
  assertEquals(describeClientAddressSource(0), "the connection, because TRUSTED_PROXY_HOPS is 0");
  assertStringIncludes(describeClientAddressSource(2), "entry 2 from the right of X-Forwarded-For");
});
