import { z } from "zod";
import type { KvReader } from "../tx/read_transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  AUDIT_RETENTION,
  DEFAULT_QUOTAS,
  MAX_PLAN_LIMITS,
  MAX_QUOTAS,
  type QuotaName,
} from "../../schemas/limits.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import {
  byCreation,
  listRecords,
  listRecordsPart,
  parseRecord,
  type PartRequest,
  retryUntilCommitted,
} from "../values/record.ts";

export const tenantRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  name: z.string(),
  createdAt: z.int(),
});
export type Tenant = z.infer<typeof tenantRecordSchema>;

const count = z.int().nonnegative();
const windowCount = count.max(MAX_PLAN_LIMITS.perMinute);

/**
 * Limits that a plan may override for its tenant; money in micro-USD. Limits per session and per address
 * exist only if set.
 */
export const limitOverridesSchema = z.object({
  ipMessages: windowCount,
  keyRequests: windowCount,
  streams: count.max(MAX_PLAN_LIMITS.streams),
  softDailyCost: count,
  hardDailyCost: count,
  sessionStreams: count.max(MAX_PLAN_LIMITS.sessionStreams),
  sessionCost: count,
  ipDailyCost: count,
}).partial();
export type LimitOverrides = z.infer<typeof limitOverridesSchema>;

function quotaSchema(name: QuotaName, least = 0): z.ZodInt {
  return z.int().min(least).max(MAX_QUOTAS[name]);
}

/** Quotas that a plan may override for its tenant. */
const quotaOverridesSchema = z.object(
  {
    agents: quotaSchema("agents"),
    agentVersions: quotaSchema("agentVersions", 1),
    agentBytes: quotaSchema("agentBytes"),
    knowledgeBases: quotaSchema("knowledgeBases"),
    knowledgeBytes: quotaSchema("knowledgeBytes"),
    conversationRuns: quotaSchema("conversationRuns"),
    conversationBytes: quotaSchema("conversationBytes"),
    attachmentBytes: quotaSchema("attachmentBytes"),
    users: quotaSchema("users", 1),
    apiKeys: quotaSchema("apiKeys"),
    toolSecrets: quotaSchema("toolSecrets"),
    testSets: quotaSchema("testSets"),
  } satisfies Record<QuotaName, z.ZodInt>,
).partial();

const planSchema = z.object({
  v: z.literal(1),
  /** `all` of the catalogue, or a list. */
  models: z.union([
    z.literal("all"),
    z.array(z.object({ vendor: z.enum(PROVIDER_IDS), model: z.string() })),
  ]),
  limits: limitOverridesSchema.default({}),
  quotas: quotaOverridesSchema.default({}),
  /**
   * The models that a widget's visitor may choose: none more expensive than the agent's own, any model of
   * the plan, or none.
   */
  visitorOverrides: z.enum(["not_dearer", "all", "none"]).default("not_dearer"),
  /** Retention of conversations in days; 0 stores none. */
  conversationDays: z.int().min(0).max(365).default(30),
  /** Retention of changes in the audit log, in days; of security events at most 90 of them. */
  auditDays: z.int().min(AUDIT_RETENTION.minDays).max(AUDIT_RETENTION.maxDays).optional(),
  /**
   * Not parts of the plan, but of the one record that every credential is checked with. `reason` is for
   * the tenant's people.
   */
  suspension: z.object({ at: z.int(), reason: z.string() }).optional(),
  deletion: z.object({ at: z.int() }).optional(),
});
export type Plan = z.infer<typeof planSchema>;

/** The largest limits that the previous release accepts in a plan. */
const PREVIOUS_MAXIMUMS = { ipMessages: 6_000, keyRequests: 6_000, streams: 800 } as const;

/** `raised` has the limits that are larger, which the previous release ignores; `limits` its maximum. */
export const planRecordSchema = planSchema
  .extend({ raised: limitOverridesSchema.optional() })
  .transform(({ raised, ...plan }): Plan => {
    return raised === undefined ? plan : { ...plan, limits: { ...plan.limits, ...raised } };
  });

/** The stored form of a plan. */
export function toPlanRecord(plan: Plan): z.input<typeof planRecordSchema> {
  const names = Object.keys(PREVIOUS_MAXIMUMS) as (keyof typeof PREVIOUS_MAXIMUMS)[];
  const large = names.filter((name) => (plan.limits[name] ?? 0) > PREVIOUS_MAXIMUMS[name]);
  if (large.length === 0) return plan;
  const pick = (from: LimitOverrides) =>
    Object.fromEntries(large.map((name) => [name, from[name]]));
  const limits = { ...plan.limits, ...pick(PREVIOUS_MAXIMUMS) };
  return { ...plan, limits, raised: pick(plan.limits) };
}

/** The plan of the specification, without overrides. */
export const DEFAULT_PLAN: Plan = {
  v: 1,
  models: "all",
  limits: {},
  quotas: {},
  visitorOverrides: "not_dearer",
  conversationDays: 30,
};

export type Quotas = Readonly<Record<QuotaName, number>>;

/** The quotas of a plan: the defaults and its overrides. */
export function quotasOf({ quotas }: Pick<Plan, "quotas">): Quotas {
  const given = Object.entries(quotas).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_QUOTAS, ...Object.fromEntries(given) };
}

/** How long the tenant's audit log stores changes, in days. */
export function auditDaysOf({ auditDays }: Pick<Plan, "auditDays">): number {
  return auditDays ?? AUDIT_RETENTION.defaultDays;
}

/** Tenants and their plans. */
export class TenantStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** The tenant of a fresh installation, created by the first call. */
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

  /** All tenants, oldest first. */
  async list(): Promise<Tenant[]> {
    const tenants = await listRecords(this.#kv, keys.tenants(), tenantRecordSchema);
    return tenants.sort(byCreation);
  }

  /** A part of `list`: a tenant's id begins with the time of its creation. */
  listPart(part: PartRequest): Promise<Tenant[]> {
    return listRecordsPart(this.#kv, keys.tenants(), { schema: tenantRecordSchema, part });
  }

  async create(name: string, plan: Plan = DEFAULT_PLAN): Promise<Tenant> {
    const id = this.#runtime.uuid();
    const tenant: Tenant = { v: 1, id, name, createdAt: this.#runtime.now() };
    const step = this.#kv.atomic()
      .check({ key: keys.tenant(id), versionstamp: null })
      .set(keys.tenant(id), tenant)
      .set(keys.plan(id), toPlanRecord(plan));
    const target = { id, name };
    const after = { name, limits: plan.limits };
    const what = { kind: "tenant", action: "create", target, after } as const;
    recordChange(step, this.#runtime, { tenant: INSTALLATION, ...what });
    if (!(await step.commit()).ok) throw new Error("a tenant id was generated twice");
    return tenant;
  }

  /**
   * Sets a tenant's plan, from the next request on; false if there is no such tenant. Recorded in the
   * installation's log and in the tenant's.
   */
  setPlan(id: string, plan: Plan): Promise<boolean> {
    return this.changePlan(id, ({ suspension, deletion }) => ({
      ...plan,
      ...suspension && { suspension },
      ...deletion && { deletion },
    }));
  }

  /** Like `setPlan`, with the result of `change`; writes nothing if that returns the same object. */
  changePlan(id: string, change: (plan: Plan) => Plan): Promise<boolean> {
    return retryUntilCommitted(async (): Promise<boolean | undefined> => {
      const tenant = await this.get(id);
      if (tenant === undefined) return false;
      const entry = await this.#kv.get(keys.plan(id));
      const before = parseRecord(planRecordSchema, entry) ?? DEFAULT_PLAN;
      const plan = change(before);
      if (plan === before) return true;
      const step = this.#kv.atomic().check(entry).set(entry.key, toPlanRecord(plan));
      const target = { id, name: tenant.name };
      const what = { kind: "plan", action: "change", target, before, after: plan } as const;
      for (const log of [INSTALLATION, id]) {
        recordChange(step, this.#runtime, { tenant: log, ...what });
      }
      return (await step.commit()).ok || undefined;
    }, { what: "plan" });
  }

  async get(id: string): Promise<Tenant | undefined> {
    return parseRecord(tenantRecordSchema, await this.#kv.get(keys.tenant(id)));
  }

  async plan(id: string, reader: KvReader = this.#kv): Promise<Plan> {
    return parseRecord(planRecordSchema, await reader.get(keys.plan(id))) ?? DEFAULT_PLAN;
  }
}
