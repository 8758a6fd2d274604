import type { AgentService } from "./agent_service.ts";
import { ApiError } from "../schemas/api_error.ts";
import { keys } from "../store/keys/keys.ts";
import type { Agent } from "../schemas/agent.ts";
import { FIELD_BOUNDS } from "../schemas/limits.ts";
import { normalizeOrigin } from "../schemas/origins.ts";
import { DEMO_MODEL } from "../schemas/provider_id.ts";

const DEMO_AGENT = {
  name: "Demo agent",
  systemPrompt: "You are the demo agent of this service. Be brief, friendly and clear.",
  modelPolicy: { provider: "vendor_a", model: DEMO_MODEL },
  budget: { maxCostUsd: 0.1, maxSteps: 4, wallClockMs: 60_000 },
  tools: [],
  allowedDomains: [],
  followUps: true,
};

export interface DemoAgentDeps {
  kv: Deno.Kv;
  agents: AgentService;
  tenant: string;
  baseUrl: string;
}

/**
 * Returns the id of the agent of `/demo`, which the first start creates; `undefined` if its owner has
 * deleted it. Adds the origin of the service if that has changed, and changes nothing else.
 */
export async function ensureDemoAgent(options: DemoAgentDeps): Promise<string | undefined> {
  const { kv, agents, tenant } = options;
  const origins = serviceOrigins(options.baseUrl);
  const pointer = keys.installation("demo_agent");
  const known = await kv.get<string>(pointer);
  if (known.value === null) return await createDemoAgent(options, { known, origins });
  const agent = await agents.find(tenant, known.value);
  if (agent === undefined) return undefined;
  await addMissingOrigins(agents, { tenant, agent, origins });
  return agent.id;
}

/** The origins of the service itself; for a loopback address, under each of its names. */
export function serviceOrigins(baseUrl: string): string[] {
  const url = new URL(baseUrl);
  const names = ["localhost", "127.0.0.1"];
  const urls = names.includes(url.hostname)
    ? names.map((name) => baseUrl.replace(url.hostname, name))
    : [baseUrl];
  return urls.map((one) => normalizeOrigin(new URL(one).origin))
    .filter((origin) => origin !== undefined);
}

async function createDemoAgent(
  { kv, agents, tenant }: DemoAgentDeps,
  { known, origins }: { known: Deno.KvEntryMaybe<string>; origins: string[] },
): Promise<string> {
  const agent = await agents.create(tenant, { ...DEMO_AGENT, allowedOrigins: origins });
  const key = keys.installation("demo_agent");
  const committed = await kv.atomic().check(known).set(key, agent.id).commit();
  if (committed.ok) return agent.id;
  // Another process created one at the same time. Keep theirs.
  await agents.delete(tenant, agent.id);
  return (await kv.get<string>(key)).value!;
}

async function addMissingOrigins(
  agents: AgentService,
  { tenant, agent, origins }: { tenant: string; agent: Agent; origins: string[] },
): Promise<void> {
  const allowed = agent.allowedOrigins ?? [];
  const missing = origins.filter((origin) => !allowed.includes(origin));
  if (missing.length === 0) return;
  const allowedOrigins = [...missing, ...allowed];
  // The owner filled the list. Keep every entry.
  if (allowedOrigins.length > FIELD_BOUNDS.allowedOrigins) return;
  try {
    await agents.patch(tenant, agent.id, { patch: { allowedOrigins } });
  } catch (error) {
    // The owner's agent is no longer valid, which must not prevent the start.
    if (!(error instanceof ApiError)) throw error;
  }
}
