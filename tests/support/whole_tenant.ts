import { assert } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./dashboard.ts";
import { expectJson } from "./expect_response.ts";
import { liveThrough, openProcesses, type Processes } from "./whole_visitor.ts";
import { byKey } from "./widget_calls.ts";

/** The visitor of the tenant. */
export const ADA = "ada/1+a@shop.example";
const TEXT = new TextEncoder().encode("Opening hours: 9 to 5, xylophones on Mondays.");

/** A tenant that has one of everything on two processes, and an operator of another tenant. */
export async function openWholeTenant() {
  const of = await openProcesses({ tenantName: "Shop of Ada", env: { SETUP_TOKEN, DEMO: "off" } });
  const operator = await Dashboard.setUp(of.service);
  const owner = await Dashboard.join(of.service, "owner", { tenant: of.tenant, name: "shop" });
  const words = await fillTenant(of, owner);
  return { of, operator, owner, words };
}

/** Everything that a tenant can have besides what its visitors leave; returns what names it. */
async function fillTenant(of: Processes, owner: Dashboard) {
  const { service, tenant, key, places } = of;
  const agentId = places[0]!.agentId;
  const life = await liveThrough(of, ADA);
  const { agents, apiKeys, knowledge, documents, secrets, shares, team, ...more } = service.service;
  const base = await knowledge.create(tenant, { name: "Hours" });
  const upload = { title: "Hours", mediaType: "text/plain" as const, bytes: TEXT };
  const document = await knowledge.addDocument({ tenant, base: base.id }, upload);
  await documents.whenIdle();
  const site = { url: "https://127.0.0.1:9/", kind: "page", schedule: "daily" };
  const source = await more.webSources.create({ tenant, base: base.id }, site);
  await more.crawls.whenIdle();
  await agents.patch(tenant, agentId, {
    patch: { knowledgeBaseId: base.id, appearance: { title: "Ask Ada's shop" } },
  });
  await secrets.set(tenant, { name: "CRM", value: "tops3cret", domains: ["crm.example.com"] });
  const share = await shares.create({ tenant, agentId }, "Shop");
  assert(share !== undefined);
  const { apiKey } = await apiKeys.create(tenant, { name: "second", scopes: ["agents:read"] });
  const body = { agentId, messages: [{ role: "user", content: "xylophone for the backend" }] };
  const started = await byKey(service, {
    key,
    body,
    headers: { "idempotency-key": "once-and-for-all" },
  });
  await started.text();
  const created = await service.fetch("/v1/knowledge-bases", {
    ...{ method: "POST", key: await service.key(["knowledge:write"], tenant) },
    ...{ json: { name: "Once" }, headers: { "idempotency-key": "a-base-once" } },
  });
  const { id: once } = await expectJson(created, 201);
  await team.invite(tenant, { email: "guest@shop.example", role: "viewer" });
  for (let n = 0; n < 3; n++) {
    await owner.post("/sign-in", { email: "shop@example.com", password: "wrong" })
      .then((answer) => answer.body?.cancel());
  }
  const { testCases, testRuns, testSets, trialJobs, rehearsals } = more;
  const set = await testSets.create(tenant, { name: "Hours", agentId });
  await testCases.addFromRun({ tenant, id: set.id }, { runId: life.rated.runId });
  const [user] = await team.members(tenant);
  const by = { kind: "user", id: user!.id } as const;
  await testRuns.start({ tenant, set: set.id, source: by }, {});
  await rehearsals.start({ tenant, agentId, source: by }, { budgetUsd: 1 });
  await more.searchIndexer.indexAll();
  await owner.post("/home/dismiss", { advice: "visitor_limits" }).then((one) => one.body?.cancel());
  more.alerts.note(tenant, "canary_rolled_back", { name: agentId, detail: "errors" });
  void trialJobs;
  const ids = [
    tenant,
    agentId,
    places[2]!.agentId,
    base.id,
    document.id,
    source.id,
    apiKey.id,
    once,
  ];
  const people = ["shop@example.com", "guest@shop.example", user!.id];
  const words = [...ids, ...people, share, set.id, ...life.ids, ADA, "xylophone", "Ask Ada's shop"];
  return { words, life };
}
