/** GET /metrics: who may read it, and what it says about requests, runs, providers and budgets. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { ScrapedMetrics } from "./support/scraped_metrics.ts";
import { TestService } from "./support/service.ts";
import { byKey } from "./support/widget_calls.ts";

const TOKEN = "scrape-token-of-a-test";
const env = { METRICS_TOKEN: TOKEN };

async function scrape(service: TestService): Promise<ScrapedMetrics> {
  const response = await service.fetch("/metrics", { key: TOKEN });
  assertEquals(response.status, 200);
  return new ScrapedMetrics(await response.text());
}

Deno.test("GET /metrics: does not exist without METRICS_TOKEN", async () => {
  await using service = await TestService.start();
  for (const key of [undefined, "", TOKEN]) {
    const response = await service.fetch("/metrics", { key });
    assertEquals(response.status, 404);
    await response.body?.cancel();
  }
});

Deno.test("GET /metrics: needs the token, and wrong ones are limited per address but never the right one", async () => {
  await using service = await TestService.start({ env });
  for (const key of [undefined, "", TOKEN.repeat(2), TOKEN.slice(1), "x".repeat(99)]) {
    const response = await service.fetch("/metrics", { key });
    assertEquals([response.status, await response.text()], [
      401,
      "send METRICS_TOKEN as a bearer token\n",
    ]);
    assertEquals(response.headers.get("www-authenticate"), 'Bearer realm="metrics"');
  }
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    const response = await service.fetch("/metrics", { key: `guess ${n}` });
    statuses.push(response.status);
    if (response.status === 429) assertMatch(response.headers.get("retry-after")!, /^\d+$/);
    await response.body?.cancel();
  }
  assertEquals(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
  const right = await service.fetch("/metrics", { key: TOKEN });
  assertEquals([right.status, right.headers.get("cache-control")], [200, "no-store"]);
  await right.body?.cancel();
});

Deno.test("GET /metrics: Prometheus's text format, and OpenMetrics for a reader that names it", async () => {
  await using service = await TestService.start({ env });
  const text = await service.fetch("/metrics", { key: TOKEN });
  assertEquals(text.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert(!(await text.text()).includes("# EOF"));
  const headers = { accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" };
  const open = await service.fetch("/metrics", { key: TOKEN, headers });
  assertEquals(
    open.headers.get("content-type"),
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  const body = await open.text();
  assert(body.endsWith("\n# EOF\n"));
  assert(body.includes("# TYPE agent_chat_runs_started counter\n"));
  const head = await service.fetch("/metrics", { key: TOKEN, method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
});

Deno.test("GET /metrics: requests by route pattern, rejections by scope, and no id of anything", async () => {
  await using service = await TestService.start({ env, limits: { keyRequests: 3 } });
  const key = await service.key(["agents:write"]);
  const agent = await service.agent(key);
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) {
    const response = await service.fetch(`/v1/agents/${agent.id}`, { key });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 200, 429, 429]);
  await (await service.fetch("/nothing/here")).body?.cancel();
  const metrics = await scrape(service);
  const requests = (route: string, code: string) =>
    metrics.sum("agent_chat_http_requests_total", { route, code });
  assertEquals(requests("/v1/agents/:id", "200"), 2);
  assertEquals(requests("/v1/agents/:id", "429"), 2);
  assertEquals(requests("/v1/agents", "201"), 1);
  assertEquals(requests("unknown", "404"), 1);
  assertEquals(metrics.sumBy("agent_chat_limit_rejections_total", "scope"), { key: 2 });
  const all = JSON.stringify(metrics.samples);
  for (const id of [agent.id, await service.tenant(), key]) assertEquals(all.includes(id), false);
});

Deno.test("GET /metrics: runs, failures of providers, open streams and the budget of each tenant", async () => {
  await using mock = await MockProviders.start();
  await using providers = await ProviderService.start(mock, { env });
  const { service } = providers;
  const gate = Promise.withResolvers<void>();
  mock.next({ say: [{ text: "Hi" }, { wait: gate.promise }], usage: { input: 1_000, output: 0 } });
  const agent = await providers.agent("vendor_a", {
    fallback: { provider: "vendor_b", model: "mid" },
  });
  const streaming = await providers.send(agent);
  const before = await scrape(service);
  assertEquals(before.sum("agent_chat_open_streams"), 1);
  assertEquals(before.sum("agent_chat_active_runs"), 1);
  gate.resolve();
  await readFrames(streaming);
  // The provider rejects the request; its fallback answers.
  mock.next({ status: 401, body: "{}" }, { usage: { input: 2_000, output: 0 } });
  await readFrames(await providers.send(agent));
  const metrics = await scrape(service);
  assertEquals(metrics.sum("agent_chat_open_streams"), 0);
  assertEquals(metrics.sum("agent_chat_active_runs"), 0);
  assertEquals(metrics.sum("agent_chat_runs_started_total", { source: "key" }), 2);
  assertEquals(metrics.sum("agent_chat_runs_ended_total", { end: "stop", error: "none" }), 2);
  assertEquals(metrics.sumBy("agent_chat_provider_failures_total", "provider"), { vendor_a: 1 });
  assertEquals(metrics.sumBy("agent_chat_provider_responses_total", "provider"), {
    ...{ vendor_a: 1, vendor_b: 1 },
  });
  assertEquals(metrics.sum("agent_chat_first_text_seconds_count"), 2);
  assert(metrics.sum("agent_chat_store_commit_seconds_count", { outcome: "committed" }) > 0);
  // 3,000 input tokens at 3 USD per million, of 5 USD a day.
  const share = 9_000 / 5_000_000;
  assertEquals(metrics.sum("agent_chat_daily_budget_used_ratio"), share);
  const label = service.service.metrics.tenantLabel(await service.tenant());
  assertMatch(label, /^[\w-]{11}$/);
  const byTenant = metrics.sumBy("agent_chat_tenant_daily_budget_used_ratio", "tenant");
  assertEquals(byTenant, { [label]: share });
});

Deno.test("GET /metrics: at most 20 tenants have a series, those that have used most of their limits", async () => {
  await using mock = await MockProviders.start();
  await using providers = await ProviderService.start(mock, { env });
  const { service } = providers;
  const { tenants, metrics } = service.service;
  await service.service.catalogue.addMissing([catalogueEntry({ model: "priced" })]);
  const labels: string[] = [];
  for (let n = 1; n <= 22; n++) {
    const { id } = await tenants.create(`Tenant ${n}`);
    labels.push(metrics.tenantLabel(id));
    const key = await service.key(["agents:write"], id);
    const modelPolicy = { provider: "vendor_a", model: "mid" };
    const agent = await service.agent(key, { modelPolicy });
    mock.next({ usage: { input: n * 1_000, output: 0 } });
    await readFrames(await byKey(service, { key, body: { agentId: agent.id } }));
  }
  const scraped = await scrape(service);
  const byTenant = scraped.sumBy("agent_chat_tenant_daily_budget_used_ratio", "tenant");
  assertEquals(Object.keys(byTenant).sort(), labels.slice(2).sort());
  const most = 22 * 3_000 / 5_000_000;
  assertEquals(byTenant[labels.at(-1)!], most);
  assertEquals(scraped.sum("agent_chat_daily_budget_used_ratio"), most);
});
