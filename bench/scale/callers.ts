import { Signer } from "@/lib/platform/crypto/signer.ts";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { ApiKeyStore } from "@/lib/store/credentials/api_key_store.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { SessionStore } from "@/lib/store/credentials/session_store.ts";
import type { Plan, Tenant } from "@/lib/store/tenants/tenant_store.ts";
import { systemRuntime as runtime } from "@/lib/platform/runtime.ts";
import type { Agent } from "@/lib/schemas/agent.ts";

/** `visitors`: a widget session and an address each. `backend`: one API key. */
export type CallerKind = "visitors" | "backend";

export interface CallersOptions {
  kind: CallerKind;
  tenants: number;
  /** Simultaneous streams that each tenant's plan allows. */
  streams: number;
  /** Of the services that verify the API keys. */
  hmacSecret: string;
  model: string;
}

/** The request of one caller's next chat. */
export type NextRequest = () => RequestInit;
/** Adds a caller; tenants are assigned round-robin. */
export type NewCaller = () => NextRequest;

/** Addresses of one backend; each is limited to 100 requests a minute, which no plan raises. */
const BACKEND_ADDRESSES = 64;
/** Sessions of one leg, and the messages that each sends, one after the other. */
const SESSIONS = 800;
const SESSION_MESSAGES = 5;
const ORIGIN = "https://shop.example";
const MESSAGES = [{ role: "user", content: "When do you open tomorrow?" }];

/** Creates new tenants in a store that services already share. */
export async function seedCallers(kv: Deno.Kv, options: CallersOptions): Promise<NewCaller> {
  const sources = await Promise.all(
    Array.from({ length: options.tenants }, () => seedTenant(kv, options)),
  );
  return () => {
    const callers = sources.map((newCaller) => newCaller());
    const next = rotation(callers.length);
    return () => callers[next()]!();
  };
}

/**
 * Indexes below `length`, round-robin, each cycle beginning one later: otherwise a tenant would always use
 * the same process when their numbers have a common factor.
 */
export function rotation(length: number): () => number {
  let turn = 0;
  return () => {
    const index = (turn + Math.floor(turn / length)) % length;
    turn++;
    return index;
  };
}

async function seedTenant(kv: Deno.Kv, options: CallersOptions): Promise<NewCaller> {
  const tenant: Tenant = { v: 1, id: runtime.uuid(), name: "Bench", createdAt: runtime.now() };
  const limits: Plan["limits"] = {
    streams: options.streams,
    ipMessages: 6_000,
    keyRequests: 6_000,
    softDailyCost: 1e12,
    hardDailyCost: 1e12,
  };
  await kv.set(keys.tenant(tenant.id), tenant);
  await kv.set(keys.plan(tenant.id), { v: 1, models: "all", limits });
  const agent = await new AgentStore(kv, runtime).create(tenant.id, {
    name: "Bench",
    systemPrompt: "Be helpful.",
    modelPolicy: { provider: "vendor_a", model: options.model },
    budget: { maxCostUsd: 0.05, maxSteps: 4, wallClockMs: 30_000 },
    tools: [],
    allowedDomains: [],
    allowedOrigins: [ORIGIN],
  });
  return options.kind === "visitors"
    ? await seedVisitors(kv, { agent, tenant: tenant.id, tenants: options.tenants })
    : await seedBackend(kv, { agent, tenant: tenant.id, options });
}

async function seedVisitors(
  kv: Deno.Kv,
  { agent, tenant, tenants }: { agent: Agent; tenant: string; tenants: number },
): Promise<NewCaller> {
  const store = new SessionStore(kv, runtime);
  const minted = await Promise.all(
    Array.from(
      { length: Math.ceil(SESSIONS / tenants) },
      () => store.mint(tenant, { agentId: agent.id, origin: ORIGIN }, {}),
    ),
  );
  const requests = minted.map(({ sessionToken }) =>
    post({
      headers: {
        "x-forwarded-for": nextAddress(),
        "x-service-session": sessionToken,
        origin: ORIGIN,
      },
      body: { agentId: agent.id, sessionToken, messages: MESSAGES },
    })
  );
  let used = 0;
  return () => {
    let sent = 0;
    let request = requests[0]!;
    return () => {
      if (sent++ % SESSION_MESSAGES === 0) request = requests[used++ % requests.length]!;
      return request;
    };
  };
}

async function seedBackend(
  kv: Deno.Kv,
  { agent, tenant, options }: { agent: Agent; tenant: string; options: CallersOptions },
): Promise<NewCaller> {
  const apiKeys = new ApiKeyStore(kv, { runtime, signer: new Signer([options.hmacSecret]) });
  const { secret } = await apiKeys.create(tenant, { name: "bench", scopes: ["widget:mint"] });
  const addresses = Array.from({ length: BACKEND_ADDRESSES }, nextAddress);
  let sent = 0;
  // All callers are the same backend.
  return () => () => {
    const address = addresses[sent++ % addresses.length]!;
    return post({
      headers: { "x-forwarded-for": address, authorization: `Bearer ${secret}` },
      body: { agentId: agent.id, messages: MESSAGES },
    });
  };
}

let addresses = 0;

/** Never used before, because the windows of an address outlast a leg. */
function nextAddress(): string {
  const n = ++addresses;
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

function post({ headers, body }: { headers: Record<string, string>; body: unknown }): RequestInit {
  return {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
