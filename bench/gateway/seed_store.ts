import { Signer } from "@/lib/credentials/hashing.ts";
import { AgentStore } from "@/lib/storage/agent_store.ts";
import { ApiKeyStore } from "@/lib/storage/api_key_store.ts";
import { keys } from "@/lib/storage/keys.ts";
import { type Plan, TenantStore } from "@/lib/storage/tenant_store.ts";
import { realSystem as system } from "@/lib/system.ts";

/** API keys that the load is spread over: one has room for 6,000 requests a minute at most. */
const API_KEYS = 64;

/** What a chat names to be let in. */
export interface Seeded {
  agentId: string;
  secrets: string[];
}

/** Everything is counted and held to as ever, only higher: a full window would end the measurement. */
const LIMITS: Plan["limits"] = {
  streams: 1_000,
  keyRequests: 6_000,
  softDailyCost: 1e12,
  hardDailyCost: 1e12,
};

/** Fills the store of a service that has not been started yet: a plan, an agent, its API keys. */
export async function seedStore(
  path: string,
  { hmacSecret, model }: { hmacSecret: string; model: string },
): Promise<Seeded> {
  using kv = await Deno.openKv(path);
  const { id: tenant } = await new TenantStore(kv, system).ensureDefault();
  await kv.set(keys.plan(tenant), { v: 1, models: "all", limits: LIMITS } satisfies Plan);
  const agent = await new AgentStore(kv, system).create(tenant, {
    name: "Bench",
    systemPrompt: "Be helpful.",
    modelPolicy: { provider: "vendor_a", model },
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 },
    tools: [],
    allowedDomains: [],
  });
  const apiKeys = new ApiKeyStore(kv, { system, signer: new Signer([hmacSecret]) });
  const made = await Promise.all(
    Array.from(
      { length: API_KEYS },
      (_, n) => apiKeys.create(tenant, { name: `bench ${n}`, scopes: ["agents:read"] }),
    ),
  );
  return { agentId: agent.id, secrets: made.map(({ secret }) => secret) };
}
