/** Deleting a tenant that has everything a tenant can have: nothing of it is left, others lose nothing. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { QUIET_MS } from "@/lib/services/tenants/tenant_deletions.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { runAs } from "@/lib/store/audit/actor.ts";
import { INSTALLATION } from "@/lib/store/audit/audit_record.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { killableKv } from "./support/killable_kv.ts";
import { storedText } from "./support/store.ts";
import { openWholeTenant } from "./support/whole_tenant.ts";
import type { Processes } from "./support/whole_visitor.ts";
import { byKey } from "./support/widget_calls.ts";

type Whole = Awaited<ReturnType<typeof openWholeTenant>>;

/** Rows with one of the words. The installation's own log names the tenant by design. */
async function rowsWith(kv: Deno.Kv, words: readonly string[]): Promise<string[]> {
  const rows = (await storedText(kv)).split("\n").filter((row) =>
    !/^\[\["audit_[a-z_]+","installation"/.test(row)
  );
  return rows.flatMap((row) => {
    const word = words.find((one) => row.includes(one));
    return word === undefined ? [] : [`${word} in ${row.slice(0, 140)}`];
  });
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

/** Sweeps until the deletion only waits, and again after the quiet time. */
async function finish({ service, other, tenant, advance }: Processes): Promise<void> {
  for (let n = 0; n < 40 && (await service.service.tenants.get(tenant)) !== undefined; n++) {
    for (const { service: { tenantDeletions, auditChainer } } of [other, service]) {
      await Promise.all([tenantDeletions.sweep(), auditChainer.sweep()]);
    }
    for (let turns = 0; turns < 20; turns++) await setImmediate();
    await advance(QUIET_MS / 4);
  }
  assertEquals(await service.service.tenants.get(tenant), undefined, "it is deleted");
}

async function close({ words: { life } }: Whole): Promise<void> {
  for (const { stream } of life.running) await stream[Symbol.asyncDispose]();
}

Deno.test("/operator/tenants/:id/delete: nothing in the store names the tenant, its users, keys or conversations any more", async () => {
  const whole = await openWholeTenant();
  const { of, operator, owner, words: { words, life } } = whole;
  await using _ = of;
  const { kv, service, other, tenant, key, places } = of;
  for (const word of words) {
    // The visitor's id and what was said are encrypted in most records.
    assert((await rowsWith(kv, [word])).length > 0, `the check can fail: ${word}`);
  }
  const ours = await service.tenant();
  // A test can begin in the async context of an earlier one, whose actor is not of this store.
  await runAs({ kind: "service" }, () => service.service.knowledge.create(ours, { name: "Ours" }));
  await service.service.auditChainer.sweep();
  const others = (await rowsWith(kv, [ours])).length;
  const page = `/operator/tenants/${tenant}/delete`;
  const wrong = await operator.post(page, { confirmName: "Shop" });
  assertEquals(wrong.status, 400);
  assertStringIncludes(await wrong.text(), "The name does not match");
  assertEquals(await statusOf(owner.post(page, { confirmName: "Shop of Ada" })), 403);

  assertEquals(await statusOf(operator.post(page, { confirmName: "Shop of Ada" })), 303);
  for (const one of [service, other]) {
    assertEquals(await statusOf(one.fetch("/v1/agents", { key })), 403);
    const chat = byKey(one, { key, body: { agentId: places[0]!.agentId } });
    assertEquals(await statusOf(chat), 403);
  }
  // A request that was admitted before cannot add anything now.
  const late = service.service.knowledge.create(tenant, { name: "Late" });
  assertEquals((await assertRejects(() => late, ApiError)).code, "tenant_suspended");
  assertEquals(await statusOf(owner.get("/home")), 303, "signed out");
  assertStringIncludes(await (await operator.get("/operator/tenants")).text(), "Being deleted");
  assertStringIncludes(
    await (await operator.get(`/operator/tenants/${tenant}`)).text(),
    "This tenant is being deleted",
  );
  for (const { stream } of life.running) await stream.until("event: done");
  await finish(of);
  await service.service.searchIndexer.indexAll();
  await other.service.alerts.close();
  assertEquals(await rowsWith(kv, words), []);
  assertEquals((await rowsWith(kv, [ours])).length, others);
  assertEquals(await statusOf(service.fetch("/v1/agents", { key })), 401);
  assertEquals(await statusOf(operator.get(`/operator/tenants/${tenant}`)), 404);
  const { data } = await service.service.audit.list(INSTALLATION, { limit: 2, kind: "tenant" });
  assertEquals(data.map(({ action, target }) => [action, target.name]), [
    ["finish deletion", "Shop of Ada"],
    ["delete", "Shop of Ada"],
  ]);
  await close(whole);
});

Deno.test("deleting a tenant: killed at any moment, other processes delete the rest, also what was written meanwhile", async (t) => {
  for (let seed = 1; seed <= 4; seed++) {
    await t.step(`seed ${seed}`, async () => {
      const whole = await openWholeTenant();
      const { of, words: { words } } = whole;
      await using _ = of;
      const dice = new SeededRandom(seed);
      const store = killableKv(of.kv);
      await using dying = await of.start(store.kv);
      store.killAfter(dice.int(5, 250));
      await dying.service.tenantDeletions.begin(of.tenant).catch(() => {});
      for (let n = 0; n < 5; n++) await dying.service.tenantDeletions.sweep();
      store.killAfter(0);
      await of.service.service.tenantDeletions.begin(of.tenant);
      await of.service.service.tenantDeletions.sweep();
      // A process that was cut off in the middle of its work writes after all.
      await of.kv.set(["runs", of.tenant, "late"], { v: 1 });
      await finish(of);
      assertEquals(await rowsWith(of.kv, words), []);
      await close(whole);
    });
  }
});

Deno.test("deleting a tenant: rejected for the installation's own, and while it has operators", async () => {
  const whole = await openWholeTenant();
  const { of, operator } = whole;
  await using _ = of;
  const { service, tenant } = of;
  const { tenantDeletions, operators, tenants } = service.service;
  assertEquals(await tenantDeletions.begin(await service.tenant()), "default_tenant");
  assertEquals(await tenantDeletions.begin(crypto.randomUUID()), "not_found");
  await operators.grant("shop@example.com");
  const rejected = await operator.post(`/operator/tenants/${tenant}/delete`, {
    confirmName: "Shop of Ada",
  });
  assertEquals(rejected.status, 409);
  assertStringIncludes(await rejected.text(), "Some of its users are operators");
  assertEquals((await tenants.plan(tenant)).deletion, undefined);
  // At once: either the role is granted or the tenant is deleted.
  await operators.revoke(
    (await operators.list()).find(({ email }) => email === "shop@example.com")!,
  );
  const [granted, begun] = await Promise.all([
    operators.grant("shop@example.com"),
    tenantDeletions.begin(tenant),
  ]);
  assertEquals("user" in granted, begun === "has_operators");
  for (const { stream } of whole.words.life.running) await stream[Symbol.asyncDispose]();
});
