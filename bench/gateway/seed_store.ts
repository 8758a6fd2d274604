import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { Signer } from "@/lib/platform/crypto/signer.ts";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { ApiKeyStore } from "@/lib/store/credentials/api_key_store.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { type Plan, type Tenant, TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { systemRuntime as runtime } from "@/lib/platform/runtime.ts";

/** A tenant may have 800 streams at most, and a key 6,000 requests a minute: the load is spread. */
const TENANTS = 2;
const API_KEYS = 32;

/** A caller with an API key, and its tenant's agents. */
export interface SeededCaller {
  /** The agent of each model. */
  agents: Readonly<Record<string, string>>;
  secret: string;
}

/** All limits apply, but are raised: a full window would end the measurement. */
const LIMITS: Plan["limits"] = {
  streams: 800,
  keyRequests: 6_000,
  softDailyCost: 1e12,
  hardDailyCost: 1e12,
};

/** Fills the store of a service that has not been started yet; the callers alternate between tenants. */
export async function seedStore(
  path: string,
  options: { hmacSecret: string; models: readonly string[] },
): Promise<SeededCaller[]> {
  using file = await Deno.openKv(path);
  const kv = withValueEncoding(file);
  const tenants = [(await new TenantStore(kv, runtime).ensureDefault()).id];
  while (tenants.length < TENANTS) tenants.push(await addTenant(kv));
  const callers = await Promise.all(tenants.map((tenant) => seedTenant(kv, tenant, options)));
  return Array.from({ length: API_KEYS }, (_, n) => callers.map((own) => own[n]!)).flat();
}

async function addTenant(kv: Deno.Kv): Promise<string> {
  const tenant: Tenant = { v: 1, id: runtime.uuid(), name: "Another", createdAt: runtime.now() };
  await kv.set(keys.tenant(tenant.id), tenant);
  return tenant.id;
}

/** Creates a plan, an agent for each model, and API keys. */
async function seedTenant(
  kv: Deno.Kv,
  tenant: string,
  { hmacSecret, models }: { hmacSecret: string; models: readonly string[] },
): Promise<SeededCaller[]> {
  const plan = await new TenantStore(kv, runtime).plan(tenant);
  await kv.set(keys.plan(tenant), { ...plan, limits: LIMITS } satisfies Plan);
  const agents: Record<string, string> = {};
  for (const model of models) {
    const { id } = await new AgentStore(kv, runtime).create(tenant, {
      name: "Bench",
      systemPrompt: "Be helpful.",
      modelPolicy: { provider: "vendor_a", model },
      budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 },
      tools: [],
      allowedDomains: [],
    });
    agents[model] = id;
  }
  const apiKeys = new ApiKeyStore(kv, { runtime, signer: new Signer([hmacSecret]) });
  const created = await Promise.all(
    Array.from(
      { length: API_KEYS },
      (_, n) => apiKeys.create(tenant, { name: `bench ${n}`, scopes: ["widget:mint"] }),
    ),
  );
  return created.map(({ secret }) => ({ agents, secret }));
}
