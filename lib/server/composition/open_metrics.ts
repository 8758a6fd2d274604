import { readBudgetUse } from "../../billing/budget_use.ts";
import type { ChatService } from "../../chat/chat_service.ts";
import { MetricsAccess } from "../../http/metrics_response.ts";
import type { CoreDeps } from "./core_deps.ts";

/** Lets the metrics read the opened service, and decides who may read them. */
export function openMetrics(
  { config, committer, kv, limits, metrics, runtime, tenants, tenantLabel, tracing }: CoreDeps,
  { chat }: { chat: Pick<ChatService, "active"> },
) {
  metrics.watch({
    committer,
    activeRuns: () => chat.active.length,
    readBudgets: () => readBudgetUse(kv, { tenants, limits, runtime }),
    tenantLabel,
  });
  return { metrics, tracing, metricsAccess: new MetricsAccess(config.metricsToken) };
}
