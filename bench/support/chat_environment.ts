import { AttachmentStore } from "@/lib/store/attachments/attachment_store.ts";
import { ModelAccess } from "@/lib/billing/model_access.ts";
import { SessionService } from "@/lib/services/session_service.ts";
import { ConversationHandoffs } from "@/lib/chat/handoff/conversation_handoffs.ts";
import { HandoffStore } from "@/lib/store/handoffs/handoff_store.ts";
import { ReplacedRuns } from "@/lib/chat/replaced_runs.ts";
import { RunRegistry } from "@/lib/chat/run_registry.ts";
import type { ChatRequest } from "@/lib/chat/chat_request.ts";
import { type PreparedRun, prepareRun } from "@/lib/chat/prepare_run.ts";
import type { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { HashCache } from "@/lib/platform/crypto/hash_cache.ts";
import { Signer } from "@/lib/platform/crypto/signer.ts";
import type { RateLimiterDeps } from "@/lib/http/rate_limiter.ts";
import { Admission } from "@/lib/billing/admission.ts";
import { FailureDetector } from "@/lib/billing/failure_detector.ts";
import { InFlightRequests } from "@/lib/billing/in_flight_requests.ts";
import { LedgerShards } from "@/lib/billing/ledger_shards.ts";
import { WindowShards } from "@/lib/billing/window_shards.ts";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { ApiKeyStore } from "@/lib/store/credentials/api_key_store.ts";
import { CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { createContentSealer, openContentCipher } from "@/lib/store/encryption/content_cipher.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import type { KvReader } from "@/lib/store/tx/read_transaction.ts";
import { SessionStore } from "@/lib/store/credentials/session_store.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { MemoryStore } from "@/lib/store/visitors/memory_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { type Agent, type AgentBody, agentBodySchema } from "@/lib/schemas/agent.ts";
import type { ChatBody } from "@/lib/schemas/chat.ts";
import type { Engine } from "./engines.ts";

const MODEL = {
  vendor: "vendor_a",
  model: "priced",
  inputUsdPerMTok: 1,
  outputUsdPerMTok: 5,
  contextTokens: 128_000,
  maxOutputTokens: 4_096,
} as const;

const ORIGIN = "https://shop.example";
const ENCRYPTION_KEY = new Uint8Array(32).fill(5).toBase64();

/** Nothing is rejected; each window stays small because there are many callers. */
const LIMITS = {
  ...DEFAULT_LIMITS,
  ipRequests: 6_000,
  ipMessages: 6_000,
  ipResumes: 6_000,
  keyRequests: 6_000,
  streams: 1_000_000,
  hardDailyCost: 1e12,
  softDailyCost: 1e12,
};

/** A caller with an API key or a session of its own. */
export interface Chatter {
  address: string;
  headers: Record<string, string>;
  body: ChatBody;
}

/** The part of the service that admits and settles messages, on one engine. */
export interface ChatEnvironment {
  prepare: (request: ChatRequest, reader: KvReader) => Promise<PreparedRun>;
  service: { apiKeys: ApiKeyStore; sessions: SessionService };
  keyedDigest: (digest: string) => string;
  agents: AgentStore;
  rateLimiterDeps: RateLimiterDeps;
  chatters: Chatter[];
}

/** Fills a store with tenants, agents, keys and sessions; half of the chatters use keys, half sessions. */
export async function createChatEnvironment(
  kv: Deno.Kv,
  { engine, tenants, chatters }: { engine: Engine; tenants: number; chatters: number },
): Promise<ChatEnvironment> {
  const runtime = systemRuntime;
  const tenantStore = new TenantStore(kv, runtime);
  const catalogue = new CatalogueStore(kv, { demoModel: false });
  await catalogue.addMissing([MODEL]);
  const signer = new Signer(["a secret that only this benchmark knows"]);
  const committer = engine as unknown as GroupCommitter;
  const shards = new LedgerShards(committer, runtime);
  const windows = new WindowShards(committer, { runtime, contended: shards.contended });
  const admission = new Admission(committer, { runtime, shards, windows });
  const models = new ModelAccess({ catalogue, tenants: tenantStore });
  const leases = new FailureDetector(runtime);
  const content = await openContentCipher(kv, {
    sealer: createContentSealer([ENCRYPTION_KEY], runtime.randomBytes),
    randomBytes: runtime.randomBytes,
  });
  const runs = new RunRegistry({
    ...{ kv, committer, content, admission, runtime, leases },
    tenants: tenantStore,
  });
  const store = new HandoffStore(kv, { runtime, content });
  const handoffs = new ConversationHandoffs({
    ...{ kv, runtime, content, store, tenants: tenantStore },
  });
  const prepare = (request: ChatRequest, reader: KvReader) =>
    prepareRun(request, {
      replacedRuns: new ReplacedRuns({ kv, runtime, runs }),
      ...{ access: models, runs, runtime, handoffs, reader, endedRun: undefined },
      models: { connection: () => undefined },
      attachments: new AttachmentStore(kv, { runtime, content }),
      memories: new MemoryStore(kv, { runtime, content }),
    });
  const apiKeys = new ApiKeyStore(kv, { runtime, signer });
  const sessions = new SessionService(new SessionStore(kv, runtime), { runtime });
  const agents = new AgentStore(kv, runtime);
  const keyedDigest = (digest: string) => content.digest(digest);
  const environment = { prepare, service: { apiKeys, sessions }, keyedDigest, agents };
  const hashes = new HashCache(signer);
  const deps = { committer, admission, signer: hashes, tenants: tenantStore };
  const [inFlight, feeds] = [new InFlightRequests(), new InFlightRequests()];
  const rateLimiterDeps = { ...deps, limits: LIMITS, inFlight, feeds };
  const owners = await Promise.all(Array.from({ length: tenants }, () => makeTenant(kv, agents)));
  const all = Array.from({ length: chatters }, (_, n) => {
    const owner = {
      ...owners[n % tenants]!,
      address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    };
    // Alternates for each tenant, so that every tenant has both.
    const withKey = Math.floor(n / tenants) % 2 === 0;
    return withKey ? makeKeyChatter(apiKeys, owner) : makeSessionChatter(sessions, owner);
  });
  return { ...environment, rateLimiterDeps, chatters: await Promise.all(all) };
}

interface Owner {
  tenant: string;
  agent: Agent;
  address: string;
}

async function makeTenant(kv: Deno.Kv, agents: AgentStore): Promise<Omit<Owner, "address">> {
  const tenant = systemRuntime.uuid();
  await kv.set(keys.plan(tenant), { v: 1, models: "all", limits: {} });
  return { tenant, agent: await agents.create(tenant, AGENT) };
}

async function makeKeyChatter(
  apiKeys: ApiKeyStore,
  { tenant, agent, address }: Owner,
): Promise<Chatter> {
  const { secret } = await apiKeys.create(tenant, { name: "bench", scopes: ["widget:mint"] });
  return { address, headers: { authorization: `Bearer ${secret}` }, body: bodyFor(agent) };
}

async function makeSessionChatter(
  sessions: SessionService,
  { tenant, agent, address }: Owner,
): Promise<Chatter> {
  const { sessionToken } = await sessions.mintForOrigin(tenant, agent, ORIGIN);
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  return { address, headers, body: { ...bodyFor(agent), sessionToken } };
}

const AGENT: AgentBody = agentBodySchema.parse({
  name: "Shop assistant",
  systemPrompt: "You help visitors of a small shop. Be brief. ".repeat(10),
  modelPolicy: { provider: MODEL.vendor, model: MODEL.model },
  budget: { maxCostUsd: 0.05, maxSteps: 4, wallClockMs: 30_000 },
  tools: [],
  allowedDomains: [],
  allowedOrigins: [ORIGIN],
});

function bodyFor({ id }: Agent): ChatBody {
  return { agentId: id, messages: [{ role: "user", content: "When do you open tomorrow?" }] };
}
