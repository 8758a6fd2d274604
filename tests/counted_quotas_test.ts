/** Quotas of users, API keys, secrets and test sets: exact on two processes, and explained in forms. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Dashboard } from "./support/dashboard.ts";
import { expectError } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { startWithQuotas as start } from "./support/quotas.ts";
import { agentBody, TestService } from "./support/service.ts";

Deno.test("quotas of users, API keys, secrets and test sets: exact when many are added at once, and free again", async () => {
  using kv = await openTestKv();
  await using fixture = await start({ kv, keepKv: true });
  const { service, tenant, quotas, post } = fixture;
  await using other = await TestService.start({ kv, keepKv: true, ...instantRuntime() });
  const { apiKeys, secrets, team, testSets } = service.service;
  const [mine, theirs] = [service.service, other.service];
  const within = async (work: (n: number) => Promise<unknown>): Promise<number> => {
    const all = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => work(n)));
    const rejected = all.filter((one) => one.status === "rejected").map(({ reason }) => reason);
    for (const { code, details } of rejected) {
      assertEquals([code, details.used], ["quota_exceeded", details.limit]);
    }
    return all.length - rejected.length;
  };
  const of = (n: number) => n % 2 === 0 ? mine : theirs;
  // The operator, one key of the fixture and no secret are there already.
  await quotas({ users: 4, apiKeys: 5, toolSecrets: 3, testSets: 2 });

  const key = { name: "more", scopes: ["agents:read" as const] };
  assertEquals(await within((n) => of(n).apiKeys.create(tenant, key)), 4);
  const added = (await apiKeys.list(tenant)).find(({ name }) => name === "more");
  await apiKeys.revoke(tenant, added!.id);
  const soon = new Date(service.service.runtime.now() + 60_000).toISOString();
  await apiKeys.create(tenant, { ...key, expiresAt: soon });

  const secret = (n: number) => ({
    ...{ name: `SECRET_${n}`, value: "tops3cret-value", domains: ["api.example.com"] },
  });
  assertEquals(await within((n) => of(n).secrets.set(tenant, secret(n))), 3);
  const [kept] = await secrets.list(tenant);
  // Replacing is not adding.
  await secrets.set(tenant, { ...secret(0), name: kept!.name });
  await secrets.delete(tenant, kept!.name);
  await secrets.set(tenant, secret(20));

  const invite = (email: string) => ({ email, role: "viewer" as const });
  assertEquals(await within((n) => of(n).team.invite(tenant, invite(`a${n}@example.com`))), 3);
  const [open] = await team.invitations(tenant);
  const again = await team.invite(tenant, invite(open!.email));
  assert("token" in again && again.replaced);
  assert("cookieToken" in await team.join(again.token, "a long enough sentence"));
  await team.withdrawInvitation(tenant, (await team.invitations(tenant))[0]!.id);
  await team.invite(tenant, invite("another@example.com"));

  const agent = await mine.agents.create(tenant, agentBody());
  const set = { name: "Hours", agentId: agent.id };
  assertEquals(await within((n) => of(n).testSets.create(tenant, set)), 2);
  const error = await expectError(await post("/v1/test-sets", set), "quota_exceeded");
  assertEquals(error.details, { quota: "test_sets", used: 2, limit: 2 });
  const { data } = await testSets.list(tenant, { limit: 9 });
  await testSets.delete({ tenant, id: data[0]!.id });
  await testSets.create(tenant, set);
});

Deno.test("quotas in forms: what was typed stays, and the form says why", async () => {
  await using fixture = await start();
  const { service, operator, tenant, quotas, text } = fixture;
  await quotas({ users: 1, apiKeys: 1, toolSecrets: 0, testSets: 0 });
  const agent = await service.service.agents.create(tenant, agentBody());
  const forms: [string, Record<string, string>, string][] = [
    ["/team/invite", { email: "ada@example.com", role: "viewer" }, "1 user or invitation"],
    ["/api-keys/new", { name: "Shop backend", preset: "custom", scopes: "agents:read" }, "1 API"],
    [
      "/settings/secrets/new",
      { name: "CRM_TOKEN", value: "tops3cret-value", domains: "crm.example.com" },
      "0 secrets",
    ],
    [
      "/test-sets/new",
      { name: "Opening hours", agentId: agent.id, threshold: "80", budget: "1" },
      "0 test sets",
    ],
  ];
  for (const [path, fields, why] of forms) {
    const answer = await operator.post(path, { ...fields });
    assertEquals(answer.status, 403, path);
    const html = await answer.text();
    assertStringIncludes(html, `The plan allows ${why}`);
    const kept = "Your input has been kept";
    const end = "value" in fields ? ", apart from the value." : ".";
    assertStringIncludes(html, `ask an operator to raise the quota. ${kept}${end}`);
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "value") assertStringIncludes(html, value, path);
    }
    assertEquals(html.includes("tops3cret-value"), false);
  }
  assertMatch(await text("/settings"), /Users 1 of 1/);
  assertMatch(await text("/settings"), /API keys 1 of 1/);
});

Deno.test("quotas of users: void invitations do not count against new ones, and invited people join a full tenant", async () => {
  await using fixture = await start();
  const { service, operator, tenant, quotas } = fixture;
  const { storage, team } = service.service;
  const owner = await Dashboard.join(service, "owner", { tenant, name: "second" });
  const invite = async (by: Dashboard, email: string) =>
    (await by.post("/team/invite", { email, role: "viewer" })).status;
  await quotas({ users: 4 });
  assertEquals(await invite(owner, "void@example.com"), 201);
  const ada = await team.invite(tenant, { email: "ada@example.com", role: "viewer" });
  assertEquals(await invite(operator, "ben@example.com"), 403);
  const { id } = (await team.members(tenant)).find(({ email }) => email === "second@example.com")!;
  await (await operator.post(`/team/${id}/remove`, {})).body?.cancel();
  await quotas({ users: 3 });
  assertEquals((await storage.read(tenant)).users.used, 3);
  assertEquals((await team.invitations(tenant)).length, 1, "the other one is void");
  assertEquals(await invite(operator, "ben@example.com"), 201);
  assertEquals(await invite(operator, "cy@example.com"), 403);
  await quotas({ users: 1 });
  assert("token" in ada && "cookieToken" in await team.join(ada.token, "a long enough sentence"));
  assertEquals((await storage.read(tenant)).users, { used: 3, limit: 1 });
});
