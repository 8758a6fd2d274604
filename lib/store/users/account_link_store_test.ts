import { assertEquals, assertNotEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { AccountLinkStore } from "./account_link_store.ts";

const TENANT = "3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d";
const OTHER_TENANT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";

function open(kv: Deno.Kv) {
  const links = new AccountLinkStore(kv, new FakeRuntime());
  const invite = (email: string, tenant = TENANT) =>
    links.createInvitation(tenant, { email, role: "viewer" });
  const emails = async () => (await links.listInvitations(TENANT)).map(({ email }) => email);
  return { links, invite, emails };
}

Deno.test("AccountLinkStore: a second invitation of an address replaces the first", async () => {
  using kv = await Deno.openKv(":memory:");
  const { links, invite, emails } = open(kv);
  const first = await invite("ann@example.com");
  const other = await invite("ben@example.com");
  const second = await invite("ann@example.com");
  assertEquals([first.replaced, other.replaced, second.replaced], [false, false, true]);
  assertEquals((await emails()).sort(), ["ann@example.com", "ben@example.com"]);
  assertEquals(await links.find(first.token, "invite"), undefined);
  assertNotEquals(await links.find(second.token, "invite"), undefined);
  assertNotEquals(await links.find(other.token, "invite"), undefined);
});

Deno.test("AccountLinkStore: of ten invitations of an address at once, one is valid", async () => {
  using kv = await Deno.openKv(":memory:");
  const { links, invite, emails } = open(kv);
  const all = await Promise.all(Array.from({ length: 10 }, () => invite("ann@example.com")));
  const found = await Promise.all(all.map(({ token }) => links.find(token, "invite")));
  assertEquals(found.filter((one) => one !== undefined).length, 1);
  assertEquals(await emails(), ["ann@example.com"]);
});

Deno.test("AccountLinkStore: an address may have one invitation in each tenant", async () => {
  using kv = await Deno.openKv(":memory:");
  const { links, invite } = open(kv);
  const here = await invite("ann@example.com");
  await invite("ann@example.com", OTHER_TENANT);
  assertNotEquals(await links.find(here.token, "invite"), undefined);
});
