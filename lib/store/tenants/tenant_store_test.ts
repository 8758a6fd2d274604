import { assertEquals } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { keys } from "../keys/keys.ts";
import { DEFAULT_PLAN, TenantStore } from "./tenant_store.ts";

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

Deno.test("TenantStore: a plan above the previous release's maximums is one that it can read", async () => {
  using kv = await Deno.openKv(":memory:");
  const tenants = new TenantStore(kv, new FakeRuntime());
  const limits = { keyRequests: 60_000, ipMessages: 6_000, streams: 10_000, hardDailyCost: 1 };
  const { id } = await tenants.create("Large", { ...DEFAULT_PLAN, limits });
  assertEquals((await tenants.plan(id)).limits, limits);
  const { value } = await kv.get<{ limits: unknown; raised: unknown }>(keys.plan(id));
  assertEquals(value!.limits, { ...limits, keyRequests: 6_000, streams: 800 });
  assertEquals(value!.raised, { keyRequests: 60_000, streams: 10_000 });
  const lowered = { ...limits, keyRequests: 6_000, streams: 800 };
  await tenants.setPlan(id, { ...DEFAULT_PLAN, limits: lowered });
  assertEquals((await kv.get(keys.plan(id))).value, { ...DEFAULT_PLAN, limits: lowered });
  assertEquals((await tenants.plan(id)).limits, lowered);
});
