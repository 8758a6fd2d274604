/** Agents that reference a knowledge base, including one that has been deleted. */
import { assertEquals } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid, expectJson } from "./support/expect_response.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { ownerCookie } from "./support/owner.ts";
import { agentBody } from "./support/service.ts";

const DOMAINS = ["api.example.com"];

/** An agent whose knowledge base has been deleted, and a function that patches it. */
async function openWithDeletedBase() {
  const fixture = await openKnowledge();
  const { service, key, base } = fixture;
  const agent = await service.agent(key, { knowledgeBaseId: base.id });
  await fixture.remove();
  const patch = (json: unknown) =>
    service.fetch(`/v1/agents/${agent.id}`, { method: "PATCH", key, json });
  return { fixture, agent, patch };
}

Deno.test("PATCH /v1/agents/:id accepts the body that GET returned after the knowledge base was deleted", async () => {
  const { fixture, agent, patch } = await openWithDeletedBase();
  await using _ = fixture;
  const { id: _id, createdAt: _c, updatedAt: _u, version: _v, ...body } = agent;
  assertEquals(await expectJson(await patch(body), 200), agent);
  const renamed = await expectJson(await patch({ ...body, name: "New" }), 200);
  assertEquals([renamed.name, renamed.knowledgeBaseId], ["New", body.knowledgeBaseId]);
});

Deno.test("/v1/agents: a missing knowledge base is 400 unless the agent already references it", async () => {
  const { fixture, agent, patch } = await openWithDeletedBase();
  await using _ = fixture;
  const { service, key } = fixture;
  const json = { ...agentBody(), knowledgeBaseId: agent.knowledgeBaseId };
  const create = await service.fetch("/v1/agents", { method: "POST", key, json });
  await expectInvalid(create, ["knowledgeBaseId"]);
  await expectInvalid(await patch({ knowledgeBaseId: crypto.randomUUID() }), ["knowledgeBaseId"]);
  // The specification allows null only for the fallback.
  await expectInvalid(await patch({ knowledgeBaseId: null }), ["knowledgeBaseId"]);
});

Deno.test("the agent editor saves, validates and tests an agent whose knowledge base has been deleted", async () => {
  const { fixture, agent } = await openWithDeletedBase();
  await using _ = fixture;
  const { service } = fixture;
  const headers = { cookie: await ownerCookie(service) };
  const form = toFormValues(agent);
  const post = (path: string, change: object = {}) => {
    const body = new URLSearchParams({ ...form, name: "New", ...change });
    return service.fetch(path, { method: "POST", headers, body });
  };
  const checked = await post(`/agents/check?agent=${agent.id}`);
  assertEquals(await expectJson(checked, 200), {
    faults: {},
    toolReport: { problems: [], servers: {} },
  });
  const asNew = await expectJson(await post("/agents/check?agent=new"), 200);
  assertEquals(Object.keys(asNew.faults), ["knowledgeBaseId"]);
  const tried = await service.fetch(`/agents/${agent.id}/try`, {
    method: "POST",
    headers,
    json: { messages: [{ role: "user", content: "Hello" }], form },
  });
  assertEquals(tried.status, 200);
  await tried.body?.cancel();
  const saved = await post(`/agents/${agent.id}`);
  assertEquals([saved.status, await saved.text()], [303, ""]);
  const cleared = await post(`/agents/${agent.id}`, { knowledgeBaseId: "", version: "2" });
  assertEquals([cleared.status, await cleared.text()], [303, ""]);
  const now = await service.service.agents.get(await service.tenant(), agent.id);
  assertEquals([now.name, now.version, "knowledgeBaseId" in now], ["New", 3, false]);
});

Deno.test("/v1/agents: a tool cannot be named like the built-in knowledge search", async () => {
  await using fixture = await openKnowledge();
  const { service, key, base } = fixture;
  const own = httpTool({ name: "search_knowledge" });
  const server = { type: "mcp", name: "search_knowledge", url: "https://api.example.com/mcp" };
  const body = (tools: unknown[]) => ({ tools, allowedDomains: DOMAINS });
  const based = { knowledgeBaseId: base.id };
  const json = { ...agentBody(), ...based, ...body([httpTool(), own]) };
  const create = await service.fetch("/v1/agents", { method: "POST", key, json });
  await expectInvalid(create, ["tools.1.name"]);
  await service.agent(key, { ...based, ...body([server]) });
  const { id } = await service.agent(key, body([own]));
  const patch = (json: unknown) =>
    service.fetch(`/v1/agents/${id}`, { method: "PATCH", key, json });
  await expectInvalid(await patch(based), ["tools.0.name"]);
  await expectJson(await patch({ ...based, tools: [httpTool()] }), 200);
});
