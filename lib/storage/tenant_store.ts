import { z } from "zod";
import type { KvReader } from "../committer/view.ts";
import type { System } from "../system.ts";
import { VENDORS } from "../wire/vendors.ts";
import { keys } from "./keys.ts";
import { parseRecord } from "./record.ts";

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
const limitOverridesSchema = z.object({
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

const planRecordSchema = z.object({
  v: z.literal(1),
  /** `all` of the catalogue, or the models named. */
  models: z.union([
    z.literal("all"),
    z.array(z.object({ vendor: z.enum(VENDORS), model: z.string() })),
  ]),
  /** What of the limits this tenant has differently. */
  limits: limitOverridesSchema.default({}),
  /**
   * What a widget's visitor may choose per call: nothing dearer than the agent's own models, any model
   * of the plan, or nothing at all.
   */
  visitorOverrides: z.enum(["not_dearer", "all", "none"]).default("not_dearer"),
  /** How long conversations are kept; 0 stores none at all. */
  conversationDays: z.int().min(0).max(365).default(30),
});
export type Plan = z.infer<typeof planRecordSchema>;

const DEFAULT_PLAN: Plan = {
  v: 1,
  models: "all",
  limits: {},
  visitorOverrides: "not_dearer",
  conversationDays: 30,
};

/** Tenants and the plan each is on. */
export class TenantStore {
  #kv: Deno.Kv;
  #system: System;

  constructor(kv: Deno.Kv, system: System) {
    this.#kv = kv;
    this.#system = system;
  }

  /** The tenant a fresh installation starts with; made once, whoever asks first. */
  async ensureDefault(): Promise<Tenant> {
    const pointer = keys.installation("default_tenant");
    const known = await this.#kv.get<string>(pointer);
    const existing = known.value === null ? undefined : await this.get(known.value);
    if (existing) return existing;
    const id = this.#system.uuid();
    const tenant: Tenant = { v: 1, id, name: "Default", createdAt: this.#system.now() };
    const committed = await this.#kv.atomic()
      .check(known)
      .set(pointer, id)
      .set(keys.tenant(id), tenant)
      .set(keys.plan(id), DEFAULT_PLAN)
      .commit();
    return committed.ok ? tenant : await this.ensureDefault();
  }

  async get(id: string): Promise<Tenant | undefined> {
    return parseRecord(tenantRecordSchema, await this.#kv.get(keys.tenant(id)));
  }

  async plan(id: string, reader: KvReader = this.#kv): Promise<Plan> {
    return parseRecord(planRecordSchema, await reader.get(keys.plan(id))) ?? DEFAULT_PLAN;
  }
}
