import { assertEquals, assertThrows } from "@std/assert";
import { fakeUuid } from "../../tests/support/fake_runtime.ts";
import { EgressAllowlist, parseEgressAllowEntry } from "./egress_allowlist.ts";

const TENANT = fakeUuid(1);
const OTHER = fakeUuid(2);

Deno.test("EgressAllowlist: a host is allowed on any port, or on the port of its entry", () => {
  const allow = new EgressAllowlist([
    "crm.internal",
    "Billing.internal:8080",
    "[::1]:9000",
    "10.0.0.7",
  ]);
  const permits = (url: string) => allow.permitsHost(new URL(url), TENANT);
  const allowed = [
    "http://crm.internal/",
    "https://CRM.internal:99/",
    "http://crm.internal./",
    "http://billing.internal:8080/",
    "http://[::1]:9000/",
    "http://10.0.0.7/",
    "http://0xa.7/",
  ];
  for (const url of allowed) assertEquals(permits(url), true, url);
  const rejected = [
    "http://x.crm.internal/",
    "http://billing.internal/",
    "https://billing.internal/",
    "http://[::1]/",
    "http://10.0.0.8/",
  ];
  for (const url of rejected) assertEquals(permits(url), false, url);
});

Deno.test("EgressAllowlist: an entry may name a scheme's default port", () => {
  const allow = new EgressAllowlist(["a.internal:80", "b.internal:443"]);
  assertEquals(allow.permitsHost(new URL("http://a.internal/"), TENANT), true);
  assertEquals(allow.permitsHost(new URL("https://a.internal/"), TENANT), false);
  assertEquals(allow.permitsHost(new URL("https://b.internal/"), TENANT), true);
});

Deno.test("EgressAllowlist: networks allow addresses of their own family", () => {
  const allow = new EgressAllowlist(["10.1.0.0/16", "fd00:1::/32"]);
  for (const address of ["10.1.0.0", "10.1.255.255", "fd00:1::7"]) {
    assertEquals(allow.permitsAddress(address, TENANT), true, address);
  }
  for (const address of ["10.2.0.1", "fd00:2::1", "::ffff:10.1.0.1", "crm.internal"]) {
    assertEquals(allow.permitsAddress(address, TENANT), false, address);
  }
});

Deno.test("EgressAllowlist: a malformed entry throws", () => {
  const unusable = [
    "",
    "10.0.0.0/33",
    "fd00::/129",
    "999.0.0.1/8",
    "host:0",
    "host:65536",
    "a b",
    "a@b",
    "*.internal",
    "=crm.internal",
    "Acme=crm.internal",
    `${TENANT}=`,
    `${TENANT}=10.0.0.0/33`,
    `${TENANT}=${OTHER}=crm.internal`,
    `${TENANT.slice(1)}=crm.internal`,
  ];
  for (const entry of unusable) assertEquals(parseEgressAllowEntry(entry), undefined, entry);
  assertThrows(() => new EgressAllowlist(["10.0.0.0/99"]), Error, "EGRESS_ALLOW");
});

Deno.test("EgressAllowlist: an entry with a tenant id applies to that tenant only", () => {
  const allow = new EgressAllowlist([
    `${TENANT.toUpperCase()}=crm.internal:8080`,
    `${TENANT}=10.1.0.0/16`,
    `${OTHER}=[::1]:9000`,
    "shared.internal",
  ]);
  const hosts = (tenant: string) =>
    ["http://crm.internal:8080/", "http://[::1]:9000/", "http://shared.internal/"]
      .map((url) => allow.permitsHost(new URL(url), tenant));
  assertEquals(hosts(TENANT), [true, false, true]);
  assertEquals(hosts(OTHER), [false, true, true]);
  assertEquals(hosts(""), [false, false, true]);
  assertEquals(
    [TENANT, OTHER].map((tenant) => allow.permitsAddress("10.1.2.3", tenant)),
    [true, false],
  );
});
