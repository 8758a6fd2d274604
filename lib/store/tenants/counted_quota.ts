import type { QuotaName } from "../../schemas/limits.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { quotaExceededError } from "./quota_exceeded_error.ts";
import { requireActiveTenant } from "./require_active_tenant.ts";
import { planRecordSchema, quotasOf } from "./tenant_store.ts";

/** Quotas of what is so rarely added that it can be counted each time. */
export type CountedQuota = Extract<QuotaName, "users" | "apiKeys" | "toolSecrets">;

interface AddRequest {
  tenant: string;
  quota: CountedQuota;
  /** How many there are now. */
  count: () => Promise<number>;
  /** Nothing is added, so a tenant that has more than the quota may do it too. */
  isReplacement?: boolean;
}

/**
 * Checks that a tenant may have one more of something, and returns what to add to the step that stores it:
 * the step then fails if another process has added one since, or if the plan has changed. Things that expire,
 * are deleted, or were added by an earlier release need no bookkeeping, because they are counted each time.
 * Throws `ApiError` 403 beyond the quota, and for a tenant that is being deleted.
 */
export async function requireQuotaFor(
  kv: Deno.Kv,
  { tenant, quota, count, isReplacement = false }: AddRequest,
): Promise<(step: Deno.AtomicOperation) => Deno.AtomicOperation> {
  // Before the count: what is added afterwards changes it.
  const wanted = [keys.quotaAdditions(tenant, quota), keys.plan(tenant)] as const;
  const [additions, planEntry] = await kv.getMany<[unknown, unknown]>(wanted);
  const plan = parseRecord(planRecordSchema, planEntry);
  if (plan?.deletion !== undefined) requireActiveTenant(plan);
  if (!isReplacement) {
    const [used, limit] = [await count(), quotasOf(plan ?? { quotas: {} })[quota]];
    if (used >= limit) throw quotaExceededError(quota, { used, limit, requested: 1 });
  }
  return (step) => step.check(additions, planEntry).set(additions.key, { v: 1 });
}
