/** The dashboard's pages about API keys. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runAs } from "@/lib/store/audit/actor.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { agentBody, TestService } from "./support/service.ts";

async function open() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const agent = await service.service.agents.create(tenant, agentBody());
  const listKeys = () => service.service.apiKeys.list(tenant);
  return { service, owner, tenant, agent, listKeys };
}

Deno.test("POST /api-keys/new: makes a key with a purpose and restrictions, and the list shows them", async () => {
  const { service, owner, agent, listKeys } = await open();
  await using _ = service;
  const form: [string, string][] = [
    ...[["name", "Shop"], ["purpose", "Mints sessions"], ["preset", "website"]],
    ...[["reach", "some"], ["agents", agent.id], ["addresses", "203.0.113.7\n2001:db8::/32"]],
  ] as [string, string][];
  assertEquals((await owner.post("/api-keys/new", form)).status, 201);
  const [key] = await listKeys();
  assertEquals(key?.agents, [agent.id]);
  assertEquals(key?.addresses, ["203.0.113.7/32", "2001:db8::/32"]);
  const html = await (await owner.get("/api-keys")).text();
  for (
    const text of [
      "Mints sessions",
      "by operator@example.com",
      `Only agent ${agent.name}`,
      "2 networks",
    ]
  ) {
    assertStringIncludes(html.replace(/<!--.*?-->/g, ""), text);
  }
});

Deno.test("POST /api-keys/new: rejects a blank purpose, no agents, and what is not a network", async () => {
  const { service, owner, listKeys } = await open();
  await using _ = service;
  const base = { name: "Shop", preset: "website", purpose: "x" };
  const wrong: [Record<string, string>, string][] = [
    [{ purpose: " " }, "Enter a purpose"],
    [{ reach: "some" }, "Choose 1 to 50 agents"],
    [{ addresses: "203.0.113.0/33" }, "is not an IP address or network"],
    [{ addresses: "::ffff:203.0.113.0/120" }, "is not an IP address or network"],
    [{ addresses: "example.com" }, "is not an IP address or network"],
  ];
  for (const [change, message] of wrong) {
    const answer = await owner.post("/api-keys/new", { ...base, ...change });
    assertEquals(answer.status, 400, message);
    assertStringIncludes(await answer.text(), message);
  }
  assertEquals(await listKeys(), []);
});

Deno.test("POST /api-keys/:id/restrict: changes restrictions, which the audit log shows", async () => {
  const { service, owner, tenant, agent, listKeys } = await open();
  await using _ = service;
  const { apiKeys, audit } = service.service;
  const input = { name: "Shop", scopes: ["agents:read" as const] };
  const { apiKey } = await runAs({ kind: "service" }, () => apiKeys.create(tenant, input));
  const path = `/api-keys/${apiKey.id}/restrict`;
  const form = { reach: "some", agents: agent.id, addresses: "10.0.0.0/8" };
  assertEquals((await owner.post(path, form)).status, 303);
  const html = await (await owner.get(path)).text();
  assert(new RegExp(`value="${agent.id}" checked`).test(html), "the form shows what is chosen");
  assertStringIncludes(html, "10.0.0.0/8");
  const { data: [entry] } = await audit.list(tenant, { limit: 1, kind: "key" });
  assertEquals([entry?.action, entry?.actor.kind], ["restrict", "user"]);
  assertEquals(entry?.changes.map(({ field, after }) => [field, after]), [
    ["agents", agent.id],
    ["addresses", "10.0.0.0/8"],
  ]);
  assertEquals((await owner.post(path, { reach: "all", agents: agent.id })).status, 303);
  const [lifted] = await listKeys();
  assertEquals([lifted?.agents, lifted?.addresses], [undefined, undefined]);
  await apiKeys.revoke(tenant, apiKey.id);
  assertEquals((await owner.post(path, form)).status, 409);
});
