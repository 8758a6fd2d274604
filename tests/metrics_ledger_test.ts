/** The metrics after 1,000 chats are exactly what the ledgers and the usage of the tenants say. */
import { assert, assertEquals } from "@std/assert";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { ScrapedMetrics } from "./support/scraped_metrics.ts";
import { readStoredUsage } from "./support/stored_usage.ts";

const CHATS = 1_000;
const AT_ONCE = 25;
const TOKEN = "scrape-token-of-a-test";

/** The number of a chat decides how it is answered. */
function answerTo({ protocol, body }: MockRequest): Script {
  const n = Number(/chat (\d+)/.exec(JSON.stringify(body))![1]);
  const usage = { input: 37 + n * 13, output: (n * 7) % 211 };
  if (n % 20 === 3) return { status: 400, body: '{"error":{"message":"rejected"}}' };
  // The fallback takes over, and the run has the usage of both.
  if (n % 20 === 7 && protocol === "openai") return { status: 401, body: "{}" };
  if (n % 20 === 11) return { say: [{ text: "Cut" }], usage, finish: "reset" };
  if (n % 20 === 13) return { say: [{ text: "Long" }], usage, end: "length" };
  return { say: [{ text: "Hello there." }], usage };
}

Deno.test("metrics equal the ledger and the usage of the day after 1,000 chats that end in all ways", async () => {
  await using mock = await MockProviders.start({ otherwise: answerTo });
  await using providers = await ProviderService.start(mock, { env: { METRICS_TOKEN: TOKEN } });
  const { service } = providers;
  const tenant = await service.tenant();
  await service.service.tenants.changePlan(tenant, (plan) => ({
    ...plan,
    limits: { ...plan.limits, streams: 100, hardDailyCost: 500_000_000 },
  }));
  const agent = await providers.agent("vendor_a", {
    fallback: { provider: "vendor_b", model: "mid" },
  });
  let next = 0;
  const statuses = new Map<number, number>();
  const client = async () => {
    while (next < CHATS) {
      const messages = [{ role: "user", content: `chat ${next++}` }];
      const response = await providers.send(agent, { messages });
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  const scraped = await service.fetch("/metrics", { key: TOKEN });
  const metrics = new ScrapedMetrics(await scraped.text());

  const { used, settled, spent, records, live } = await readStoredUsage(providers.kv);
  assertEquals(live, []);
  assertEquals(used, settled);
  assertEquals(records.size, CHATS);
  const microUsd = Math.round(metrics.sum("agent_chat_cost_usd_total") * 1_000_000);
  assertEquals([microUsd, microUsd], [spent, used.cost]);
  const tokens = (type: string) => metrics.sum("agent_chat_tokens_total", { type });
  assertEquals([tokens("input"), tokens("output")], [used.inputTokens, used.outputTokens]);
  assertEquals(metrics.sum("agent_chat_runs_started_total"), CHATS);
  assertEquals(metrics.sum("agent_chat_runs_ended_total"), CHATS);
  assertEquals(metrics.sum("agent_chat_run_duration_seconds_count"), CHATS);
  const ends = Object.groupBy(records.values(), ({ finishReason }) => finishReason);
  assertEquals(
    metrics.sumBy("agent_chat_runs_ended_total", "end"),
    Object.fromEntries(
      Object.entries(ends).map(([end, runs]) => [end, runs.length]).sort(),
    ),
  );
  assert(Object.keys(ends).length >= 3, `only ${Object.keys(ends)}`);
  const answered = metrics.sum("agent_chat_http_requests_total", { route: "/v1/chat/stream" });
  assertEquals(answered, [...statuses.values()].reduce((sum, n) => sum + n, 0));
  const { usage } = service.service;
  const day = new Date(service.service.runtime.now()).toISOString().slice(0, 10);
  const report = await usage.read(tenant, { from: day, to: day });
  assertEquals(Math.round(report.costUsd * 1_000_000), microUsd);
});
