import { assertEquals } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { keys } from "../keys/keys.ts";
import { TenantStore } from "./tenant_store.ts";

Deno.test("TenantStore: the default tenant is created once", async () => {
  using kv = await Deno.openKv(":memory:");
  const tenants = new TenantStore(kv, new FakeRuntime());
  const made = await Promise.all(Array.from({ length: 8 }, () => tenants.ensureDefault()));
  assertEquals(new Set(made.map((tenant) => tenant.id)).size, 1);
  assertEquals((await storedKeys(kv)).length, 3);
  assertEquals(await tenants.ensureDefault(), made[0]);
  assertEquals(await tenants.get(made[0]!.id), made[0]);
});

Deno.test("TenantStore: the default plan allows the whole catalogue", async () => {
  using kv = await Deno.openKv(":memory:");
  const tenants = new TenantStore(kv, new FakeRuntime());
  const unset = { v: 1 as const, models: "all" as const, limits: {} };
  const plan = {
    ...unset,
    quotas: {},
    visitorOverrides: "not_dearer" as const,
    conversationDays: 30,
  };
  assertEquals(await tenants.plan(fakeUuid(801)), plan);
  // A plan of a release with fewer settings.
  await kv.set(keys.plan(fakeUuid(802)), unset);
  assertEquals(await tenants.plan(fakeUuid(802)), plan);
  assertEquals(await tenants.get(fakeUuid(801)), undefined);
});
