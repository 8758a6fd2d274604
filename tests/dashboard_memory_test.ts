/** Memory and agent tools in the dashboard, without scripts. */
import { assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { ended } from "./support/conversations.ts";
import { expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { agentBody, TestService } from "./support/service.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

async function open() {
  const service = await TestService.start({ ...instantRuntime(), env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const { agents } = service.service;
  const create = (change: Record<string, unknown> = {}) =>
    agents.create(tenant, { ...agentBody(), allowedOrigins: [ORIGIN], ...change });
  return { service, owner, tenant, agents, create };
}

Deno.test("agent editor: the Instructions page switches memory on and off", async () => {
  const { service, owner, tenant, agents, create } = await open();
  await using _ = service;
  const { id } = await create();
  const save = async (memory: string, memoryInstructions: string) => {
    const { name, systemPrompt, version } = toFormValues(await agents.get(tenant, id));
    const form = { name, systemPrompt, version, memory, memoryInstructions };
    const answer = await owner.post(`/agents/${id}`, form);
    await answer.body?.cancel();
    return [answer.status, (await agents.get(tenant, id)).memory];
  };
  assertEquals(await save("on", " Deliveries. "), [303, {
    ...{ enabled: true, instructions: "Deliveries." },
  }]);
  assertStringIncludes(await (await owner.get(`/agents/${id}`)).text(), "Deliveries.");
  assertEquals(await save("", "Deliveries."), [303, {
    ...{ enabled: false, instructions: "Deliveries." },
  }]);
  assertEquals(await save("", ""), [303, undefined]);
  assertEquals(await save("on", "x".repeat(501)), [400, undefined]);
});

Deno.test("inbox: shows what the agent remembers beside the conversation; deleting it is audited", async () => {
  const { service, owner, create } = await open();
  await using _ = service;
  const agent = await create({ memory: { enabled: true } });
  const key = await service.key();
  const minted = await service.fetch("/v1/widget/session", {
    ...{ method: "POST", key, headers: { origin: ORIGIN } },
    json: { agentId: agent.id, visitor: { id: "ada" } },
  });
  const { sessionToken } = await expectJson(minted, 201);
  const messages = [say("Please remember that <b>I like tea</b>.")];
  const { id } = await ended(await onPage(service, { agent, sessionToken, body: { messages } }));
  const path = `/conversations/${id}`;
  const page = await (await owner.get(path)).text();
  assertStringIncludes(page, "Remembered about this visitor: 1");
  assertMatch(page, /<li><span dir="auto">&lt;b>I like tea/);
  const viewer = await Dashboard.join(service, "viewer");
  assertFalse((await (await viewer.get(path)).text()).includes("memory/delete"));
  assertEquals((await viewer.post(`${path}/memory/delete`)).status, 403);
  const confirm = await (await owner.get(`${path}/memory/delete`)).text();
  assertStringIncludes(confirm, "Delete everything that the agent remembers");
  const done = await owner.post(`${path}/memory/delete`);
  assertEquals(done.status, 303);
  assertMatch(done.headers.get("location")!, /&notice=memory_deleted$/);
  assertFalse((await (await owner.get(path)).text()).includes("Remembered about"));
  assertStringIncludes(await (await owner.get("/audit")).text(), "Deleted what is remembered");
});

Deno.test("agent editor: the Tools page saves a tool that asks another agent, and names a wrong one", async () => {
  const { service, owner, tenant, agents, create } = await open();
  await using _ = service;
  const [caller, expert] = [await create(), await create({ name: "Parcel expert" })];
  const save = async (agentId: string) => {
    const { version } = toFormValues(await agents.get(tenant, caller.id));
    const tool = { type: "agent", name: "ask_expert", description: "Knows parcels.", agentId };
    const form = { tools: JSON.stringify([tool]), allowedDomains: "", version };
    return await owner.post(`/agents/${caller.id}/tools`, form);
  };
  assertEquals((await save(expert.id)).status, 303);
  assertEquals((await agents.get(tenant, caller.id)).tools.length, 1);
  const page = await (await owner.get(`/agents/${caller.id}/tools`)).text();
  assertStringIncludes(page, "Parcel expert");
  const rejected = await save(caller.id);
  assertEquals(rejected.status, 400);
  assertStringIncludes(await rejected.text(), "would ask this agent in turn");
});
