import { z } from "zod";
import type { QuotaName } from "../../schemas/limits.ts";
import { keys } from "../keys/keys.ts";
import { takeTurns } from "../shared/take_turns.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import { requireActiveTenant } from "./require_active_tenant.ts";
import { quotaExceededError } from "./quota_exceeded_error.ts";
import { type Plan, planRecordSchema, type Quotas, quotasOf } from "./tenant_store.ts";

const usageSchema = z.object({
  v: z.literal(1),
  used: z.record(z.string(), z.int().nonnegative()),
});

/** How much of some quotas is used. */
export type QuotaUsage<N extends QuotaName> = Readonly<Record<N, number>>;

/**
 * How much of its quotas a tenant uses: one record, changed in the same step as what it counts. So it is
 * exact across concurrent writes and processes, and no write has to scan.
 */
export class StorageUsage<N extends QuotaName> {
  readonly #kv: Deno.Kv;
  readonly #area: string;
  readonly #count: (tenant: string) => Promise<QuotaUsage<N>>;

  /** `count` scans what is stored, for a tenant without a record. */
  constructor(
    kv: Deno.Kv,
    options: { area: string; count: (tenant: string) => Promise<QuotaUsage<N>> },
  ) {
    this.#kv = kv;
    this.#area = options.area;
    this.#count = options.count;
  }

  /** Repeats a write until it commits; `attempt` returns `undefined` when a check of its step failed. */
  async change<T>(
    tenant: string,
    attempt: (usage: UsageUpdate<N>) => Promise<T | undefined>,
  ): Promise<T> {
    return await takeTurns(this.#kv, `${this.#area} ${tenant}`, () =>
      retryUntilCommitted(
        async () => await attempt(await this.read(tenant)),
        { what: `usage of ${this.#area}` },
      ));
  }

  /** Like `read`, but stores the result of a scan, so that the next read does not repeat it. */
  async readAndStore(tenant: string): Promise<UsageUpdate<N>> {
    const usage = await this.read(tenant);
    // If this fails, a concurrent write has stored a newer record.
    if (!usage.isStored) await usage.writeTo(this.#kv.atomic()).commit();
    return usage;
  }

  /** What is used and allowed now. */
  async read(tenant: string): Promise<UsageUpdate<N>> {
    const wanted = [keys.storageUsage(tenant, this.#area), keys.plan(tenant)] as const;
    const [entry, planEntry] = await this.#kv.getMany<[unknown, unknown]>(wanted);
    const stored = parseRecord(usageSchema, entry)?.used as QuotaUsage<N> | undefined;
    // Every counted write stores the record, so a scan is valid if there is still none afterwards.
    const used = stored ?? await this.#count(tenant);
    const plan = parseRecord(planRecordSchema, planEntry);
    return new UsageUpdate({ used, plan, checks: [entry, planEntry] });
  }
}

/** A tenant's usage as seen by one write, with what the write adds. */
export class UsageUpdate<N extends QuotaName> {
  readonly quotas: Quotas;
  #used: Record<N, number>;
  readonly #checks: readonly Deno.KvEntryMaybe<unknown>[];
  readonly #plan: Plan | undefined;

  constructor(
    { used, plan, checks }: {
      used: QuotaUsage<N>;
      plan: Plan | undefined;
      checks: readonly Deno.KvEntryMaybe<unknown>[];
    },
  ) {
    this.#used = { ...used };
    this.quotas = quotasOf(plan ?? { quotas: {} });
    this.#checks = checks;
    this.#plan = plan;
  }

  /** False if it was scanned because there was no record. */
  get isStored(): boolean {
    return this.#checks[0]?.versionstamp !== null;
  }

  get used(): QuotaUsage<N> {
    return this.#used;
  }

  /** What may still be added; negative if the quota was lowered below the usage. */
  remaining(name: N): number {
    return this.quotas[name] - this.#used[name];
  }

  /**
   * Counts what the write adds, or frees if negative. Throws `ApiError` 403 beyond the quota, and for
   * whatever is added to a tenant that is being deleted: the step checks that too.
   */
  add(name: N, amount: number): void {
    if (amount > 0 && this.#plan?.deletion !== undefined) requireActiveTenant(this.#plan);
    if (amount > 0 && amount > this.remaining(name)) {
      const facts = { used: this.#used[name], limit: this.quotas[name], requested: amount };
      throw quotaExceededError(name, facts);
    }
    this.#used[name] = Math.max(0, this.#used[name] + amount);
  }

  /** Adds the new usage to the step, which then fails if the usage or the plan was changed. */
  writeTo(step: Deno.AtomicOperation): Deno.AtomicOperation {
    const [entry] = this.#checks;
    return step.check(...this.#checks).set(entry!.key, { v: 1, used: this.#used });
  }
}
