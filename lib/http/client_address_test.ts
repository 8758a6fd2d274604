import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { clientAddress } from "./client_address.ts";

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

  it("tells a mapped IPv4 address as IPv4 and drops brackets and port", () => {
    assertEquals(from("::ffff:192.0.2.7", 0), "192.0.2.7");
    assertEquals(from("127.0.0.1", 1, "[2001:DB8::1]:443"), "2001:db8::1");
    assertEquals(from("127.0.0.1", 1, "203.0.113.9:5000"), "203.0.113.9");
  });
});
