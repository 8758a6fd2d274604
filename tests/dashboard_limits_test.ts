/** A dashboard user is subject to the same limits as an API key. */
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_LIMITS, type Limits } from "@/lib/billing/limits.ts";
import { httpTool } from "./support/agents.ts";
import { catalogueEntry } from "./support/chat.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { agentBody, TestService } from "./support/service.ts";

const HELLO = [{ role: "user", content: "Hello" }];

/** A service with the specification's limits, overridden by `limits`, an owner and an agent. */
async function start(limits: Partial<Limits> = {}) {
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({
    ...{ runtime, env: { SETUP_TOKEN }, limits: { ...DEFAULT_LIMITS, ...limits } },
  });
  const owner = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const agent = await service.service.agents.create(tenant, agentBody());
  const sendMessage = (body: object = {}) =>
    owner.send(`/agents/${agent.id}/try`, { messages: HELLO, ...body });
  return { service, advance, owner, tenant, sendMessage };
}

/** A rejection's status, code and limit scope, and whether it has a Retry-After. */
async function rejectionOf(answer: Response): Promise<unknown[]> {
  const { code, details } = await answer.json();
  return [answer.status, code, details?.scope, Number(answer.headers.get("retry-after")) > 0];
}

Deno.test("POST /agents/:id/try: 20 messages per minute from one address, including those through the API", async () => {
  const { service, advance, sendMessage } = await start();
  await using _ = service;
  const key = await service.key();
  const { id } = await service.agent(key);
  const json = { agentId: id, messages: HELLO };
  const chat = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  await chat.text();
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) {
    const answer = await sendMessage();
    statuses.push(answer.status);
    await answer.text();
  }
  assertEquals(statuses, [...Array(19).fill(200), 429]);
  const rejected = await sendMessage();
  const wait = Number(rejected.headers.get("retry-after"));
  assertEquals(await rejectionOf(rejected), [429, "rate_limit_exceeded", "ip_chat", true]);
  advance(wait * 1000);
  const again = await sendMessage();
  assertEquals(again.status, 200);
  await again.text();
});

Deno.test("POST /agents/:id/try: the tenant's stream limit and daily cost limit apply to the playground", async () => {
  const streams = await start({ streams: 0 });
  await using _streams = streams.service;
  const full = await rejectionOf(await streams.sendMessage());
  assertEquals(full, [429, "rate_limit_exceeded", "tenant_streams", true]);
  const money = await start({ softDailyCost: 0, hardDailyCost: 0 });
  await using _money = money.service;
  const spent = await rejectionOf(await money.sendMessage());
  assertEquals(spent, [429, "plan_limit_exceeded", "tenant_daily_cost", true]);
});

Deno.test("POST /agents/:id/try: a model outside the plan is rejected, in the draft and as an override", async () => {
  const { service, tenant, sendMessage } = await start();
  await using _ = service;
  const { catalogue, runtime, tenants } = service.service;
  await catalogue.set(catalogueEntry(), runtime);
  const plan = await tenants.plan(tenant);
  await tenants.setPlan(tenant, { ...plan, models: [{ vendor: "vendor_a", model: "demo" }] });
  const form = { name: "A", systemPrompt: "B", model: "vendor_a/mid" };
  for (const body of [{ provider: "vendor_a", model: "mid" }, { form }]) {
    const answer = await sendMessage(body);
    assertEquals([answer.status, (await answer.json()).code], [400, "schema_validation_failed"]);
  }
});

Deno.test("POST /agents/test-tool: counts towards the address's request limit, so it cannot flood other servers", async () => {
  const { service, owner } = await start({ ipRequests: 3 });
  await using _ = service;
  const body = { tool: httpTool(), allowedDomains: ["tools.example.com"] };
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) {
    const answer = await owner.send("/agents/test-tool", body);
    statuses.push(answer.status);
    await answer.body?.cancel();
  }
  assertEquals(statuses, [200, 200, 200, 429]);
  const page = await owner.get("/agents");
  assert(page.ok, "page views are not limited");
  await page.body?.cancel();
});
