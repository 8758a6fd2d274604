/** Storage quotas of a plan: enforced exactly, and reported by the API and the dashboard. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { agentOf } from "./support/agents.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { startWithQuotas as start } from "./support/quotas.ts";
import { agentBody } from "./support/service.ts";

const MIB = 1_048_576;

/** An agent of about 750 KiB. */
function heavyAgent() {
  const tool = (n: number) => ({
    ...{ type: "http", name: `tool_${n}`, description: "Looks something up." },
    parameters: { type: "object", description: "x".repeat(16_000) },
    request: {
      ...{ method: "POST", url: "https://tools.example.com/find" },
      body: { note: "y".repeat(31_000) },
    },
  });
  return {
    ...agentBody(),
    allowedDomains: ["tools.example.com"],
    tools: Array.from({ length: 16 }, (_, n) => tool(n)),
  };
}

Deno.test("POST /v1/agents: 20 concurrent agents of 15 MiB in total fill the byte quota that an operator set exactly, and the rest get 403", async () => {
  await using fixture = await start();
  const { service, operator, tenant, key, post, text } = fixture;
  const form = { models: "all", visitorOverrides: "not_dearer", conversationDays: "30" };
  const saved = await operator.post(`/operator/tenants/${tenant}`, { ...form, agentBytes: "4" });
  assertEquals(saved.headers.get("location"), "/operator/tenants?notice=plan_saved");
  const body = heavyAgent();
  const bytes = JSON.stringify(body).length;
  assert(20 * bytes > 14 * MIB && bytes < 768 * 1_024);
  const answers = await Promise.all(Array.from({ length: 20 }, () => post("/v1/agents", body)));
  const created = answers.filter(({ status }) => status === 201);
  assertEquals(created.length, Math.floor(4 * MIB / bytes));
  const agents = await Promise.all(created.map((answer) => answer.json()));
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    const { details, message } = await expectError(answer, "quota_exceeded");
    assertEquals(answer.status, 403);
    assertEquals(
      answer.headers.get("retry-after"),
      null,
      "quota_exceeded must not suggest a retry",
    );
    const used = created.length * bytes;
    assertEquals(details, { quota: "agent_bytes", used, limit: 4 * MIB, requested: bytes });
    assertStringIncludes(message, "4,194,304 bytes of agents and their versions");
  }
  const usage = await expectJson(
    await service.fetch("/v1/usage", { key }),
    200,
  );
  assertEquals(usage.storage.agents, { used: created.length, limit: 1_000 });
  assertEquals(usage.storage.agentBytes, { used: created.length * bytes, limit: 4 * MIB });
  for (const path of ["/settings", "/usage"]) {
    assertMatch(await text(path), /Size of agents and versions 3\.\d MiB of 4\.0 MiB/, path);
  }
  assertMatch(await text("/home"), /Quota almost used up: Size of agents and versions/);
  assertMatch(
    await text(`/operator/tenants/${tenant}`),
    /3\.\d MiB used now\. In MiB, measured as JSON/,
  );
  // A small agent still fits, and deleting an agent frees its bytes.
  assertEquals((await post("/v1/agents", agentBody())).status, 201);
  const deletion = { method: "DELETE", key };
  assertEquals((await service.fetch(`/v1/agents/${agents[0].id}`, deletion)).status, 204);
  assertEquals((await post("/v1/agents", body)).status, 201);
});

Deno.test("POST /v1/knowledge-bases: by default, 110 concurrent requests create exactly 100", async () => {
  await using fixture = await start();
  const { post } = fixture;
  const answers = await Promise.all(
    Array.from({ length: 110 }, (_, n) => post("/v1/knowledge-bases", { name: `Base ${n}` })),
  );
  const rejected = answers.filter(({ status }) => status !== 201);
  assertEquals(rejected.length, 10);
  for (const answer of rejected) {
    const { details } = await expectError(answer, "quota_exceeded");
    assertEquals(details, { quota: "knowledge_bases", used: 100, limit: 100 });
  }
  await Promise.all(answers.map((answer) => answer.bodyUsed || answer.body?.cancel()));
});

Deno.test("Idempotency-Key: quota_exceeded is not stored for replay, and retries create one agent once there is room", async () => {
  await using fixture = await start();
  const { post, quotas, service, tenant } = fixture;
  await quotas({ agents: 0 });
  const headers = { "idempotency-key": "a-key-of-the-backend" };
  const create = () => post("/v1/agents", agentBody(), headers);
  await expectError(await create(), "quota_exceeded");
  await quotas({ agents: 1 });
  const answers = await Promise.all(Array.from({ length: 12 }, create));
  assertEquals(answers.map(({ status }) => status), Array(12).fill(201));
  const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).id));
  assertEquals(new Set(ids).size, 1);
  assertEquals((await service.service.storage.read(tenant)).agents, { used: 1, limit: 1 });
});

Deno.test("POST documents: a document over the quota gets 403 and stores nothing", async () => {
  await using fixture = await start();
  const { post, quotas, service, tenant } = fixture;
  await quotas({ knowledgeBytes: 10_000 });
  const base = await (await post("/v1/knowledge-bases", { name: "Shop" })).json();
  const add = (length: number) =>
    post(`/v1/knowledge-bases/${base.id}/documents`, {
      title: "T",
      content: "word ".repeat(length / 5),
    });
  const document = await expectJson(await add(4_000), 201);
  await service.service.documents.whenIdle();
  const { knowledgeBytes } = await service.service.storage.read(tenant);
  assert(
    knowledgeBytes.used > 4_000 && knowledgeBytes.used < 10_000,
    "the quota counts the upload and the extracted text",
  );
  const { details } = await expectError(await add(9_000), "quota_exceeded");
  const { used, limit } = knowledgeBytes;
  assertEquals(details, { quota: "knowledge_bytes", used, limit, requested: 9_000 });
  const target = { tenant, base: base.id, id: document.id };
  await service.service.knowledge.deleteDocument(target);
  assertEquals((await service.service.storage.read(tenant)).knowledgeBytes.used, 0);
});

Deno.test("POST /v1/chat/stream: a full conversation quota rejects no chat; it deletes the oldest conversations", async () => {
  await using fixture = await start();
  const { post, quotas, service, key, text } = fixture;
  await quotas({ conversationRuns: 3 });
  const agent = await service.agent(key);
  const conversations: string[] = [];
  for (let n = 0; n < 7; n++) {
    const messages = [{ role: "user", content: `Question ${n}` }];
    const answer = await post("/v1/chat/stream", { agentId: agent.id, messages });
    assertEquals(answer.status, 200);
    const frames = (await readFrames(answer)).map(({ frame }) => frame);
    assertEquals(frames.at(-1), { type: "done", finishReason: "stop" });
    const [first] = frames;
    assert(first?.type === "start");
    conversations.push(first.conversationId);
  }
  await service.service.conversationQuota.enforceAll();
  const { data } = await (await service.fetch("/v1/conversations", { key })).json();
  const remaining = data.map(({ id }: { id: string }) => id);
  assertEquals(remaining.toSorted(), conversations.slice(-3).toSorted());
  assertStringIncludes(
    await text("/home"),
    "The oldest conversations are being deleted early. The plan",
  );
});

Deno.test("dashboard: a form over the quota gets 403 with the reason, and keeps the user's input", async () => {
  await using fixture = await start();
  const { operator, quotas, service, tenant, text } = fixture;
  await quotas({ agents: 0, knowledgeBases: 1, knowledgeBytes: 100 });
  const expectQuotaPage = async (answer: Response, ...words: string[]) => {
    assertEquals(answer.status, 403);
    const html = (await answer.text()).replaceAll("&quot;", '"');
    for (const word of words) assertStringIncludes(html, word);
  };
  const values = toFormValues(
    agentOf({ name: "Typed name", systemPrompt: "A prompt of many words." }),
  );
  const fields = Object.entries(values).filter(([, value]) => typeof value === "string");
  await expectQuotaPage(
    await operator.post("/agents/new", fields as [string, string][]),
    "The plan allows 0 agents, and there are 0.",
    "ask an operator to raise the quota",
    "Typed name",
    "A prompt of many words.",
  );
  const base = await service.service.knowledge.create(tenant, { name: "Shop" });
  await expectQuotaPage(
    await operator.post("/knowledge/new", { name: "Second base", description: "Typed words" }),
    "The plan allows 1 knowledge base, and there is 1.",
    "Second base",
    "Typed words",
  );
  const upload = (headers: Record<string, string>) => {
    const body = new FormData();
    body.set("file", new File(["x".repeat(200)], "a.txt", { type: "text/plain" }));
    return service.fetch(`/knowledge/${base.id}/documents`, {
      ...{ method: "POST", body },
      headers: { cookie: operator.cookie, origin: service.url, ...headers },
    });
  };
  const full = "the plan allows 100 bytes of knowledge: 0 are in use, and 200 more were requested";
  await expectQuotaPage(await upload({}), full);
  const byScript = await expectError(
    await upload({ accept: "application/json" }),
    "quota_exceeded",
  );
  assertEquals(byScript.message, full);
  assertMatch(await text("/home"), /Quota used up: Agents\. 0 of 0 used/);
});
