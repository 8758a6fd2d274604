/** Tenant isolation: a user cannot read or change another tenant's data. */
import { pageMethodsOf } from "@/lib/http/page_methods.ts";
import { assert, assertEquals } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { upload as uploadFile } from "./support/attachments.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { readFrames } from "./support/frames.ts";
import { addressOf, patternOf, routeFiles } from "./support/route_files.ts";
import { addPasskey } from "./support/second_factor.ts";
import { agentBody, TestService } from "./support/service.ts";

const PRIVATE_TEXT = "Text private to its tenant";
const MESSAGES = [{ role: "user", content: PRIVATE_TEXT }];
const DOCUMENT = new TextEncoder().encode(PRIVATE_TEXT);

/** A tenant that has one of each resource, its owner, and the owner of another tenant. */
async function openTwoTenants() {
  const service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  const { agents, apiKeys, documents, knowledge, secrets, team, tenants } = service.service;
  const owner = await Dashboard.setUp(service);
  const passkey = await addPasskey(service, owner.cookie.slice("dashboard=".length));
  const tenant = await service.tenant();
  const agent = await agents.create(tenant, { ...agentBody(), name: "Theirs alone" });
  await agents.patch(tenant, agent.id, {
    patch: { systemPrompt: "Changed.", attachments: { documents: true } },
  });
  const { apiKey, secret } = await apiKeys.create(tenant, { name: "k", scopes: ["widget:mint"] });
  await secrets.set(tenant, { name: "CRM_KEY", value: "tops3cret", domains: ["crm.example.com"] });
  const credential = { key: secret, agentId: agent.id };
  const file = await uploadFile(service, credential, { bytes: PRIVATE_TEXT });
  const base = await knowledge.create(tenant, { name: "Theirs" });
  const upload = { title: "Theirs", mediaType: "text/plain" as const, bytes: DOCUMENT };
  const document = await knowledge.addDocument({ tenant, base: base.id }, upload);
  await documents.whenIdle();
  const invited = await team.invite(tenant, { email: "new@example.com", role: "viewer" });
  assert("token" in invited);
  await Dashboard.join(service, "viewer");
  const member = (await team.members(tenant)).at(-1)!;
  const [start] = await readFrames(
    await service.fetch("/v1/chat/stream", {
      ...{ method: "POST", key: secret, json: { agentId: agent.id, messages: MESSAGES } },
    }),
  );
  assert(start?.frame.type === "start");
  const { conversationId, runId } = start.frame;
  // So it is an unanswered question.
  const rated = await service.fetch(`/v1/chat/runs/${runId}/feedback`, {
    ...{ method: "PUT", key: secret, json: { rating: "down" } },
  });
  assertEquals(rated.status, 204);
  const { testCases, testRuns, testSets, trialJobs } = service.service;
  const set = await testSets.create(tenant, { name: "Theirs", agentId: agent.id });
  const { ids: [caseId] } = await testCases.addFromRun({ tenant, id: set.id }, { runId });
  const source = { kind: "user", id: member.id } as const;
  const testRun = await testRuns.start({ tenant, set: set.id, source }, {});
  await trialJobs.close();
  const elsewhere = (await tenants.create("Elsewhere")).id;
  const otherOwner = await Dashboard.join(service, "owner", { tenant: elsewhere, name: "else" });
  const ids = {
    agents: { id: agent.id, n: "1" },
    "api-keys": { id: apiKey.id },
    conversations: { id: conversationId },
    attachments: { attachmentId: file.id },
    runs: { runId },
    unanswered: { runId },
    knowledge: { id: base.id, documentId: document.id },
    secrets: { name: "CRM_KEY" },
    invitations: { id: invited.invitation.id },
    team: { id: member.id },
    "test-sets": { id: set.id, caseId: caseId!, testRunId: testRun.id },
    passkeys: { id: passkey },
    tenants: { id: tenant },
    callback: { server: "0123456789-_abcdefABCD" },
  };
  return { service, tenant, owner, otherOwner, agent, base, runId, conversationId, ids };
}

/** The paths of a tenant's single resources, with the ids of existing ones. */
function addressesOf(ids: Record<string, Record<string, string>>) {
  return routeFiles().filter((file) => /^\(admin\)\/(?!operator).*\[/.test(file)).map((file) => {
    const kind = Object.keys(ids).findLast((name) => file.includes(`/${name}/[`));
    assert(kind !== undefined, `${file}: the fixture has a resource for this route`);
    const acceptsPost = pageMethodsOf(patternOf(file)).includes("POST");
    return { path: addressOf(file, ids[kind]), acceptsPost };
  });
}

Deno.test("every resource path is 404 to another tenant's owner, for reading and for changes", async (t) => {
  const { service, tenant, owner, otherOwner, runId, ids } = await openTwoTenants();
  await using _ = service;
  // Its owner may read everything, and an export is recorded.
  const changes = async () =>
    (await service.service.audit.list(tenant, { limit: 100 })).data
      .filter(({ action }) => action !== "export");
  const log = await changes();
  const seen: number[] = [];
  for (const { path, acceptsPost } of addressesOf(ids)) {
    await t.step(path.replace(/[0-9a-f-]{36}/g, ":id"), async () => {
      const own = await statusOf(owner.get(path));
      seen.push(own);
      // A 405 depends on the path alone and precedes authentication.
      assert([200, 204, 303, 404, 405].includes(own), `GET as its owner: ${own}`);
      assertEquals(await statusOf(otherOwner.get(path)), own === 200 || own === 204 ? 404 : own);
      const expected = acceptsPost ? 404 : 405;
      assertEquals(await statusOf(submit(otherOwner, { path, runId })), expected);
    });
  }
  assert(seen.filter((status) => status === 200).length > 12, "the ids exist");
  assertEquals(await changes(), log);
});

/** Sends what a path accepts: JSON to the playground, a form to all others. */
function submit(
  otherOwner: Dashboard,
  { path, runId }: { path: string; runId: string },
): Promise<Response> {
  if (path.endsWith("/try")) return otherOwner.send(path, { messages: MESSAGES });
  if (path.endsWith("/try/cancel")) return otherOwner.send(path, { runId });
  if (path.endsWith("/try/call")) {
    return otherOwner.send(path, { runId, n: 2, reply: { approve: true } });
  }
  return otherOwner.post(path, { version: "2", confirmName: "Theirs alone", role: "viewer" });
}

Deno.test("another tenant's ids in a query find, name and filter nothing", async () => {
  const { service, owner, otherOwner, agent, runId, conversationId } = await openTwoTenants();
  await using _ = service;
  const { apiKeys, team } = service.service;
  const tenant = await service.tenant();
  const [apiKey] = await apiKeys.list(tenant);
  const [member] = await team.members(tenant);
  const paths = [
    `/agents?q=${agent.id}`,
    `/agents/new?from=${agent.id}`,
    `/conversations?agentId=${agent.id}`,
    `/conversations?id=${conversationId}`,
    `/conversations?id=${runId}`,
    `/usage?by=agent`,
    `/usage?by=key`,
    `/usage/csv?by=agent`,
    `/audit?actor=${member!.id}`,
    `/audit?actor=${apiKey!.id}`,
    `/audit?log=installation`,
    `/settings/secrets/new?name=CRM_KEY`,
    `/unanswered?agentId=${agent.id}&state=all`,
    "/home",
  ];
  for (const path of paths) {
    const answer = await otherOwner.get(path);
    assertEquals(answer.status, 200, path);
    const html = await answer.text();
    for (const word of [PRIVATE_TEXT, "Theirs alone", member!.email, "crm.example.com"]) {
      assert(!html.includes(word), `${path} contains ${word}`);
    }
  }
  const found = await owner.get(`/conversations?id=${runId}`);
  assertEquals(found.status, 303, "its owner is redirected to it");
  await found.body?.cancel();
});

Deno.test("the playground rejects another tenant's knowledge base and does not read its conversation", async () => {
  const { service, tenant, otherOwner, base, conversationId } = await openTwoTenants();
  await using _ = service;
  const mine = await service.service.tenants.list().then((all) => all.at(-1)!.id);
  assert(mine !== tenant);
  const agent = await service.service.agents.create(mine, agentBody());
  const form = { ...toFormValues(agent), knowledgeBaseId: base.id };
  const draft = await otherOwner.send(`/agents/${agent.id}/try`, { messages: MESSAGES, form });
  assertEquals([draft.status, (await draft.json()).code], [400, "schema_validation_failed"]);
  const body = { messages: [{ role: "user", content: "Hello" }], conversationId };
  const answer = await otherOwner.send(`/agents/${agent.id}/try`, body);
  assertEquals(answer.status, 200);
  await readFrames(answer);
  // Both tenants may use the same id: theirs is unchanged, and ours holds only the new run.
  const of = (one: string) =>
    service.service.conversations.get(one, conversationId, { filter: {}, page: { limit: 10 } });
  const [theirs, own] = await Promise.all([of(tenant), of(mine)]);
  const questions = ({ runs }: typeof own) => runs.map(({ messages }) => messages[0]!.content);
  assertEquals([questions(theirs), questions(own)], [[PRIVATE_TEXT], ["Hello"]]);
});

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}
