/** What somebody with an account of their own learns and changes of another tenant: nothing. */
import { assert, assertEquals } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { readFrames } from "./support/frames.ts";
import { addressOf, routeFiles } from "./support/route_files.ts";
import { agentBody, TestService } from "./support/service.ts";

const WORDS = "Words that nobody else may read";
const SAID = [{ role: "user", content: WORDS }];
const DOCUMENT = new TextEncoder().encode(WORDS);

/** A tenant that has one of everything, its owner, and the owner of another tenant. */
async function neighbours() {
  const service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  const { agents, apiKeys, documents, knowledge, secrets, team, tenants } = service.service;
  const owner = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const agent = await agents.create(tenant, { ...agentBody(), name: "Theirs alone" });
  await agents.patch(tenant, agent.id, { patch: { systemPrompt: "Changed." } });
  const { apiKey, secret } = await apiKeys.create(tenant, { name: "k", scopes: ["widget:mint"] });
  await secrets.set(tenant, { name: "CRM_KEY", value: "tops3cret", domains: ["crm.example.com"] });
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
      ...{ method: "POST", key: secret, json: { agentId: agent.id, messages: SAID } },
    }),
  );
  assert(start?.frame.type === "start");
  const { conversationId, runId } = start.frame;
  const elsewhere = (await tenants.create("Elsewhere")).id;
  const stranger = await Dashboard.join(service, "owner", { tenant: elsewhere, name: "else" });
  const ids = {
    agents: { id: agent.id, n: "1" },
    "api-keys": { id: apiKey.id },
    conversations: { id: conversationId },
    knowledge: { id: base.id, documentId: document.id },
    secrets: { name: "CRM_KEY" },
    invitations: { id: invited.invitation.id },
    team: { id: member.id },
  };
  return { service, tenant, owner, stranger, agent, base, runId, conversationId, ids };
}

/** Addresses of one thing of a tenant, with the ids of what really is there. */
function addressesOf(ids: Record<string, Record<string, string>>): string[] {
  return routeFiles().filter((file) => /^\(admin\)\/(?!operator).*\[/.test(file)).map((file) => {
    const kind = Object.keys(ids).findLast((name) => file.includes(`/${name}/[`));
    assert(kind !== undefined, `${file}: make one for this walk too`);
    return addressOf(file, ids[kind]);
  });
}

Deno.test("every address of a thing is 404 to another tenant's owner, looked at or changed", async (t) => {
  const { service, tenant, owner, stranger, runId, ids } = await neighbours();
  await using _ = service;
  const log = await service.service.audit.list(tenant, { limit: 100 });
  const seen: number[] = [];
  for (const path of addressesOf(ids)) {
    await t.step(path.replace(/[0-9a-f-]{36}/g, ":id"), async () => {
      const own = await statusOf(owner.get(path));
      seen.push(own);
      // 405 is decided by the address alone, before anybody is asked who they are.
      assert([200, 303, 404, 405].includes(own), `GET as its owner: ${own}`);
      assertEquals(await statusOf(stranger.get(path)), own === 200 ? 404 : own);
      const expected = isSentTo(path) ? 404 : 405;
      assertEquals(await statusOf(sent(stranger, { path, runId })), expected);
    });
  }
  assert(seen.filter((status) => status === 200).length > 12, "the ids are real");
  assertEquals(await service.service.audit.list(tenant, { limit: 100 }), log);
});

/** Whether an address takes anything. */
function isSentTo(path: string): boolean {
  return !/\/(embed|versions|search)$|^\/(conversations|knowledge)\/[^/]+$/.test(path);
}

/** The playground's addresses take JSON; all others take the form of their page. */
function sent(
  stranger: Dashboard,
  { path, runId }: { path: string; runId: string },
): Promise<Response> {
  if (path.endsWith("/try")) return stranger.send(path, { messages: SAID });
  if (path.endsWith("/try/cancel")) return stranger.send(path, { runId });
  return stranger.post(path, { version: "2", confirmName: "Theirs alone", role: "viewer" });
}

Deno.test("ids of another tenant in a query find, name and filter nothing", async () => {
  const { service, owner, stranger, agent, runId, conversationId } = await neighbours();
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
    "/home",
  ];
  for (const path of paths) {
    const answer = await stranger.get(path);
    assertEquals(answer.status, 200, path);
    const html = await answer.text();
    for (const word of [WORDS, "Theirs alone", member!.email, "crm.example.com"]) {
      assert(!html.includes(word), `${path} tells ${word}`);
    }
  }
  const found = await owner.get(`/conversations?id=${runId}`);
  assertEquals(found.status, 303, "its owner is led there");
  await found.body?.cancel();
});

Deno.test("another tenant's knowledge base and conversation are of no use in a tried draft", async () => {
  const { service, tenant, stranger, base, conversationId } = await neighbours();
  await using _ = service;
  const mine = await service.service.tenants.list().then((all) => all.at(-1)!.id);
  assert(mine !== tenant);
  const agent = await service.service.agents.create(mine, agentBody());
  const form = { ...toFormValues(agent), knowledgeBaseId: base.id };
  const draft = await stranger.send(`/agents/${agent.id}/try`, { messages: SAID, form });
  assertEquals([draft.status, (await draft.json()).code], [400, "schema_validation_failed"]);
  const body = { messages: [{ role: "user", content: "Hello" }], conversationId };
  const answer = await stranger.send(`/agents/${agent.id}/try`, body);
  assertEquals(answer.status, 200);
  await readFrames(answer);
  // The id is theirs by name only: what it holds there is untouched, and here it holds the one run.
  const of = (one: string) =>
    service.service.conversations.get(one, conversationId, { filter: {}, page: { limit: 10 } });
  const [theirs, own] = await Promise.all([of(tenant), of(mine)]);
  const asked = ({ runs }: typeof own) => runs.map(({ messages }) => messages[0]!.content);
  assertEquals([asked(theirs), asked(own)], [[WORDS], ["Hello"]]);
});

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}
