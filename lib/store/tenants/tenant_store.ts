import { z } from "zod";
import type { KvReader } from "../tx/read_transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { DEFAULT_QUOTAS, MAX_QUOTAS, type QuotaName } from "../../schemas/limits.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

const tenantRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  name: z.string(),
  createdAt: z.int(),
});
export type Tenant = z.infer<typeof tenantRecordSchema>;

const count = z.int().nonnegative();
/** The times of a whole window are one value of the store, which takes 64 KiB. */
const windowCount = count.max(6_000);
/** So are the leases of all running runs. */
const streamCount = count.max(800);

/**
 * What a plan may set differently for its tenant; money in micro-USD. Those of a session and of an
 * address are without limit unless set.
 */
export const limitOverridesSchema = z.object({
  ipMessages: windowCount,
  keyRequests: windowCount,
  streams: streamCount,
  softDailyCost: count,
  hardDailyCost: count,
  sessionStreams: streamCount,
  sessionCost: count,
  ipDailyCost: count,
}).partial();
export type LimitOverrides = z.infer<typeof limitOverridesSchema>;

function quotaSchema(name: QuotaName, least = 0): z.ZodInt {
  return z.int().min(least).max(MAX_QUOTAS[name]);
}

/** What a plan may allow a tenant to store differently from `DEFAULT_QUOTAS`. */
const quotaOverridesSchema = z.object(
  {
    agents: quotaSchema("agents"),
    agentVersions: quotaSchema("agentVersions", 1),
    agentBytes: quotaSchema("agentBytes"),
    knowledgeBases: quotaSchema("knowledgeBases"),
    knowledgeBytes: quotaSchema("knowledgeBytes"),
    conversationRuns: quotaSchema("conversationRuns"),
    conversationBytes: quotaSchema("conversationBytes"),
  } satisfies Record<QuotaName, z.ZodInt>,
).partial();

export const planRecordSchema = z.object({
  v: z.literal(1),
  /** `all` of the catalogue, or the models named. */
  models: z.union([
    z.literal("all"),
    z.array(z.object({ vendor: z.enum(PROVIDER_IDS), model: z.string() })),
  ]),
  /** What of the limits this tenant has differently. */
  limits: limitOverridesSchema.default({}),
  /** What of the quotas this tenant has differently. */
  quotas: quotaOverridesSchema.default({}),
  /**
   * What a widget's visitor may choose per call: nothing dearer than the agent's own models, any model
   * of the plan, or nothing at all.
   */
  visitorOverrides: z.enum(["not_dearer", "all", "none"]).default("not_dearer"),
  /** How long conversations are kept; 0 stores none at all. */
  conversationDays: z.int().min(0).max(365).default(30),
});
export type Plan = z.infer<typeof planRecordSchema>;

/** The plan of the specification: no limit is set differently. */
export const DEFAULT_PLAN: Plan = {
  v: 1,
  models: "all",
  limits: {},
  quotas: {},
  visitorOverrides: "not_dearer",
  conversationDays: 30,
};

export type Quotas = Readonly<Record<QuotaName, number>>;

/** What a tenant of this plan may store. */
export function quotasOf({ quotas }: Pick<Plan, "quotas">): Quotas {
  const given = Object.entries(quotas).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_QUOTAS, ...Object.fromEntries(given) };
}

/** Tenants and the plan each is on. */
export class TenantStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** The tenant a fresh installation starts with; made once, whoever asks first. */
  async ensureDefault(): Promise<Tenant> {
    const pointer = keys.installation("default_tenant");
    const known = await this.#kv.get<string>(pointer);
    const existing = known.value === null ? undefined : await this.get(known.value);
    if (existing) return existing;
    const id = this.#runtime.uuid();
    const tenant: Tenant = { v: 1, id, name: "Default", createdAt: this.#runtime.now() };
    const committed = await this.#kv.atomic()
      .check(known)
      .set(pointer, id)
      .set(keys.tenant(id), tenant)
      .set(keys.plan(id), DEFAULT_PLAN)
      .commit();
    return committed.ok ? tenant : await this.ensureDefault();
  }

  /** All of them, in the order they were made. */
  async list(): Promise<Tenant[]> {
    const found: Tenant[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.tenants() })) {
      const tenant = parseRecord(tenantRecordSchema, entry);
      if (tenant) found.push(tenant);
    }
    return found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  /** A new tenant on the given plan, or on the default one. */
  async create(name: string, plan: Plan = DEFAULT_PLAN): Promise<Tenant> {
    const id = this.#runtime.uuid();
    const tenant: Tenant = { v: 1, id, name, createdAt: this.#runtime.now() };
    const step = this.#kv.atomic()
      .check({ key: keys.tenant(id), versionstamp: null })
      .set(keys.tenant(id), tenant)
      .set(keys.plan(id), plan);
    const target = { id, name };
    const after = { name, limits: plan.limits };
    const what = { kind: "tenant", action: "create", target, after } as const;
    recordChange(step, this.#runtime, { tenant: INSTALLATION, ...what });
    if (!(await step.commit()).ok) throw new Error("a tenant id was drawn twice");
    return tenant;
  }

  /**
   * Sets a tenant's plan, from the next request on; false when there is no such tenant. It is in the
   * installation's log, and in the tenant's own.
   */
  setPlan(id: string, plan: Plan): Promise<boolean> {
    return this.changePlan(id, () => plan);
  }

  /** The same with what `change` makes of the current plan, in one step; no entry if nothing changes. */
  changePlan(id: string, change: (plan: Plan) => Plan): Promise<boolean> {
    const key = keys.plan(id);
    const attempt = async (): Promise<boolean | undefined> => {
      const tenant = await this.get(id);
      if (tenant === undefined) return false;
      const entry = await this.#kv.get(key);
      const before = parseRecord(planRecordSchema, entry) ?? DEFAULT_PLAN;
      const plan = change(before);
      if (plan === before) return true;
      const step = this.#kv.atomic().check(entry).set(key, plan);
      const target = { id, name: tenant.name };
      const what = { kind: "plan", action: "change", target, before, after: plan } as const;
      for (const log of [INSTALLATION, id]) {
        recordChange(step, this.#runtime, { tenant: log, ...what });
      }
      return (await step.commit()).ok ? true : undefined;
    };
    return retryUntilCommitted(attempt, { what: "plan" });
  }

  async get(id: string): Promise<Tenant | undefined> {
    return parseRecord(tenantRecordSchema, await this.#kv.get(keys.tenant(id)));
  }

  async plan(id: string, reader: KvReader = this.#kv): Promise<Plan> {
    return parseRecord(planRecordSchema, await reader.get(keys.plan(id))) ?? DEFAULT_PLAN;
  }
}
