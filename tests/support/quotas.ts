import type { Plan } from "@/lib/store/tenants/tenant_store.ts";
import { Dashboard, SETUP_TOKEN } from "./dashboard.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { TestService } from "./service.ts";

const SCOPES = ["agents:write", "knowledge:write", "conversations:read", "billing:read"] as const;

/** A service with an operator, and `quotas`, which sets those of their tenant. */
export async function startWithQuotas(options: Parameters<typeof TestService.start>[0] = {}) {
  const service = await TestService.start({
    ...options,
    ...instantRuntime(),
    env: { SETUP_TOKEN, DEMO: "off" },
  });
  const operator = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const key = await service.key([...SCOPES]);
  const post = (path: string, json: unknown, headers: HeadersInit = {}) =>
    service.fetch(path, { method: "POST", key, json, headers });
  const quotas = (quotas: Plan["quotas"]) =>
    service.service.tenants.changePlan(tenant, (plan) => ({ ...plan, quotas }));
  const text = async (path: string, who = operator) => {
    const html = await (await who.get(path)).text();
    return html.replace(/<head>.*?<\/head>/s, "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  };
  const dispose = () => service[Symbol.asyncDispose]();
  return { service, operator, tenant, key, post, quotas, text, [Symbol.asyncDispose]: dispose };
}
